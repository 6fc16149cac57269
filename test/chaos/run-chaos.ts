import { join } from 'node:path'
import { AcknowledgementLog } from './acknowledgement-log.ts'
import { makeChaosRequest } from './chaos-request.ts'
import { Client, type FetchedOutput } from './client.ts'
import { createTally, type FaultTally, injectFaults } from './faults.ts'
import { LoadProgress } from './load-progress.ts'
import { ServiceProcess, type ServiceSettings } from './service-process.ts'
import { judge, type Verdict } from './verdict.ts'

export interface ChaosSettings extends ServiceSettings {
  readonly requests: number
  /** Completed inferences between two faults. */
  readonly faultEvery: number
  /** No request is begun after so many minutes; the report says how many were. */
  readonly minutes?: number
  /** Clients at once. */
  readonly clients: number
}

export interface ChaosReport {
  readonly verdict: Verdict
  readonly tally: FaultTally
  readonly seconds: number
}

/** Puts load on a real service, breaks it again and again, and judges what is left. */
export async function runChaos(settings: ChaosSettings): Promise<ChaosReport> {
  const startedAt = performance.now()
  await using service = new ServiceProcess(settings)
  await service.start()
  using acknowledged = new AcknowledgementLog(join(`${settings.dataFolder}.acknowledged`))
  const client = new Client(service, acknowledged)
  const tally = createTally()
  const progress = new LoadProgress()
  const faults = injectFaults(service, settings, { tally, every: settings.faultEvery, progress })
  const fetched = new Map<string, FetchedOutput[]>()
  try {
    const broken = faults.then(() => new Promise<never>(() => {}))
    await Promise.race([loadService(client, settings, { fetched, progress }), broken])
  } finally {
    progress.end()
  }
  await faults
  for (const [responseId, outputs] of fetched) outputs.push(await client.fetchOutput(responseId))
  await service.terminate()
  const { dataFolder } = settings
  const evidence = {
    dataFolder,
    acknowledged: acknowledged.read(),
    fetched,
    lines: service.lines,
    rivalCompletions: tally.rivalCompletions,
  }
  return { verdict: judge(evidence), tally, seconds: (performance.now() - startedAt) / 1000 }
}

async function loadService(
  client: Client,
  { requests, clients, minutes = Number.POSITIVE_INFINITY }: ChaosSettings,
  { fetched, progress }: { readonly fetched: Map<string, FetchedOutput[]>; readonly progress: LoadProgress },
): Promise<void> {
  const until = performance.now() + minutes * 60_000
  let next = 0
  const lane = async () => {
    for (let index = next++; index < requests && performance.now() < until; index = next++) {
      const responseId = await client.submit(`chaos-${index}`, makeChaosRequest(index), { copies: index % 10 === 0 ? 3 : 1 })
      await client.waitFor(responseId)
      fetched.set(responseId, [await client.fetchOutput(responseId)])
      progress.advance()
    }
  }
  await Promise.all(Array.from({ length: clients }, lane))
}

/** The report in a few lines for a person. */
export function printReport({ verdict, tally, seconds }: ChaosReport): string {
  const { acknowledged, succeeded, failed, lost, duplicated, damaged, unexplained, zombies } = verdict
  return [
    `acknowledged ${acknowledged}: succeeded ${succeeded}, failed after their worker died twice ${failed}, in ${seconds.toFixed(0)} s`,
    `kills ${tally.kills}, pauses ${tally.pauses}, leases swept by a rival ${tally.swept}, rude clients ${tally.rudeClients}`,
    `lost ${lost.length}, duplicated ${duplicated.length}, damaged ${damaged.length}, unexplained failures ${unexplained.length}, zombies rejected ${zombies}`,
    ...[...lost, ...duplicated, ...damaged, ...unexplained].slice(0, 20).map((item) => `  ${item}`),
  ].join('\n')
}
