import { execFile } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import type { LoadProgress } from './load-progress.ts'
import { pauseBeyondLease, type RivalReport } from './pause-beyond-lease.ts'
import { leaveDuringStream, leaveDuringUpload, sendSlowly, sendTooMuch } from './rude-clients.ts'
import type { ServiceProcess, ServiceSettings } from './service-process.ts'

/** Faults injected into the service. */
export interface FaultTally {
  kills: number
  pauses: number
  rudeClients: number
  swept: number
  oversizedAnswers: Set<number>
  readonly rivalCompletions: RivalReport['completed'][number][]
}

export function createTally(): FaultTally {
  return { kills: 0, pauses: 0, rudeClients: 0, swept: 0, oversizedAnswers: new Set(), rivalCompletions: [] }
}

type Fault = (service: ServiceProcess, settings: ServiceSettings, tally: FaultTally) => Promise<void>

const killService: Fault = async (service, _settings, tally) => {
  await service.kill()
  tally.kills += 1
  await service.start()
}

const pauseService: Fault = async (service, settings, tally) => {
  const { swept, completed } = await pauseBeyondLease(service, settings)
  tally.pauses += 1
  tally.swept += swept
  tally.rivalCompletions.push(...completed)
}

const killEngine: Fault = async (service, _settings, tally) => {
  const [pid] = shuffle(service.enginePids())
  if (pid !== undefined) tally.kills += signalProcess(pid, 'SIGKILL')
}

/** Lets an engine's next allocations fail, as a machine without memory does. */
const starveEngine: Fault = async (service, _settings, tally) => {
  const [pid] = shuffle(service.enginePids())
  if (pid === undefined) return
  execFile('prlimit', ['--pid', String(pid), '--as=1048576'], () => {})
  await pause(300)
  tally.kills += signalProcess(pid, 'SIGKILL')
}

const pauseEngine: Fault = async (service, { leaseMs }, tally) => {
  const [pid] = shuffle(service.enginePids())
  if (pid === undefined) return
  tally.pauses += signalProcess(pid, 'SIGSTOP')
  await pause(leaseMs + 200)
  signalProcess(pid, 'SIGCONT')
}

const beRude: Fault = async (service, _settings, tally) => {
  await Promise.all([leaveDuringUpload(service), leaveDuringStream(service), sendSlowly(service)])
  const status = await sendTooMuch(service)
  if (status !== null) tally.oversizedAnswers.add(status)
  tally.rudeClients += 4
}

const rotation: readonly Fault[] = [
  pauseService,
  killService,
  killEngine,
  beRude,
  pauseService,
  killEngine,
  killService,
  starveEngine,
  pauseEngine,
  killEngine,
]

/** Does one fault after every `every` inferences that were completed, until the load is done. */
export async function injectFaults(
  service: ServiceProcess,
  settings: ServiceSettings,
  { tally, every, progress }: { readonly tally: FaultTally; readonly every: number; readonly progress: LoadProgress },
): Promise<void> {
  for (let round = 0; await progress.reach((round + 1) * every); round++)
    await rotation[round % rotation.length]?.(service, settings, tally)
}

function signalProcess(pid: number, signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): number {
  try {
    process.kill(pid, signal)
    return 1
  } catch {
    return 0
  }
}

function shuffle<Item>(items: readonly Item[]): readonly Item[] {
  return items
    .map((item) => [Math.random(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item)
}
