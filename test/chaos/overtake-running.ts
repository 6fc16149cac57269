import { setTimeout as pause } from 'node:timers/promises'
import { AcknowledgementLog } from './acknowledgement-log.ts'
import { makePictureRequest } from './chaos-request.ts'
import { Client, type FetchedOutput } from './client.ts'
import { pauseBeyondLease } from './pause-beyond-lease.ts'
import { ServiceProcess, type ServiceSettings } from './service-process.ts'
import { judge, type Verdict } from './verdict.ts'

/** Denoising steps that take longer than it takes to see that a picture is running, and less than a pause. */
const steps = 40

/** Lets a rival complete pictures that a paused service is drawing, wakes the service, and judges what it did then. */
export async function overtakeRunning(settings: ServiceSettings, rounds: number): Promise<Verdict> {
  const { dataFolder } = settings
  await using service = new ServiceProcess(settings)
  await service.start()
  using acknowledged = new AcknowledgementLog(`${dataFolder}.acknowledged`)
  const client = new Client(service, acknowledged)
  const fetched = new Map<string, FetchedOutput[]>()
  const rivalCompletions: { readonly id: string; readonly sha256: string }[] = []
  for (let round = 0; round < rounds; round++) {
    const responseId = await client.submit(`overtake-${round}`, makePictureRequest(round, steps))
    await waitForProgress(client, responseId)
    rivalCompletions.push(...(await pauseBeyondLease(service, settings)).completed)
    await client.waitFor(responseId)
    // The overtaken attempt ends in its own time.
    await pause(settings.leaseMs)
    fetched.set(responseId, [await client.fetchOutput(responseId), await client.fetchOutput(responseId)])
  }
  await service.terminate()
  return judge({ dataFolder, acknowledged: acknowledged.read(), fetched, lines: service.lines, rivalCompletions })
}

async function waitForProgress(client: Client, responseId: string): Promise<void> {
  for (;;) {
    const response = await client.ask(`/v1/requests/${responseId}`)
    if ((await response?.text())?.includes('"progress"')) return
    await pause(5)
  }
}
