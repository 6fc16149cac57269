import { setTimeout as pause } from 'node:timers/promises'
import { AcknowledgementLog } from './acknowledgement-log.ts'
import { makePictureRequest } from './chaos-request.ts'
import { Client, type FetchedOutput } from './client.ts'
import { pauseBeyondLease } from './pause-beyond-lease.ts'
import { ServiceProcess, type ServiceSettings } from './service-process.ts'
import { judge, type Verdict } from './verdict.ts'

/** Denoising steps that take longer than it takes to see that a picture is running, and less than a pause. */
const steps = 40

/** A pause may hit the service in a commit or after the last step; so many are tried until one lets the rival in. */
const maxRounds = 8

/** Lets a rival complete a picture that a paused service is drawing, wakes the service, and judges what it did then. */
export async function overtakeRunning(settings: ServiceSettings): Promise<Verdict> {
  const { dataFolder } = settings
  await using service = new ServiceProcess(settings)
  await service.start()
  using acknowledged = new AcknowledgementLog(`${dataFolder}.acknowledged`)
  const client = new Client(service, acknowledged)
  const fetched = new Map<string, FetchedOutput[]>()
  const rivalCompletions: { readonly id: string; readonly sha256: string }[] = []
  for (let round = 0; round < maxRounds && rivalCompletions.length === 0; round++) {
    const responseId = await client.submit(`overtake-${round}`, makePictureRequest(round, steps))
    await waitForProgress(client, responseId)
    rivalCompletions.push(...(await pauseBeyondLease(service, settings)).completed)
    await client.waitFor(responseId)
    await waitForAttemptEnd(service, responseId)
    fetched.set(responseId, [await client.fetchOutput(responseId), await client.fetchOutput(responseId)])
  }
  await service.terminate()
  return judge({ dataFolder, acknowledged: acknowledged.read(), fetched, lines: service.lines, rivalCompletions })
}

/** Waits until it is running, or completed if the machine is too busy to observe that. */
async function waitForProgress(client: Client, responseId: string): Promise<void> {
  for (;;) {
    const response = await client.ask(`/v1/requests/${responseId}`)
    if (/"(?:progress|outcome)"/.test((await response?.text()) ?? '')) return
    await pause(5)
  }
}

/** The overtaken attempt ends in its own time; the log says how. */
async function waitForAttemptEnd(service: ServiceProcess, responseId: string): Promise<void> {
  for (let tries = 6000; tries > 0; tries--) {
    if (service.lines.some(({ inferenceId, message }) => inferenceId === responseId && /completed|refused/.test(message))) return
    await pause(50)
  }
}
