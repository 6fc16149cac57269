import { monitorEventLoopDelay } from 'node:perf_hooks'
import { ServiceError } from '../core/error.ts'
import type { BodyDropReason } from '../core/requests/logged-body.ts'
import type { Telemetry } from './telemetry.ts'

/** The service listens. */
export function serviceStarted(
  { log }: Telemetry,
  event: { readonly url: string; readonly models: number; readonly startMs: number },
): void {
  log.info(event, 'service started')
}

/** Confinement of engines available on this machine. */
export function enginesConfined(
  { log }: Telemetry,
  event: { readonly files: boolean; readonly network: boolean; readonly memory: boolean },
): void {
  log.info(event, 'engines are confined as far as the system allows')
}

/** The database is usable with a warning. */
export function databaseDoubtful({ log }: Telemetry, event: { readonly warning: string }): void {
  log.warn(event, 'the database could be safer')
}

/** The system's limit of open files is lower than the connection settings require. */
export function descriptorsScarce({ log }: Telemetry, event: { readonly warning: string }): void {
  log.warn(event, 'too few file descriptors')
}

/** The built console is older than its sources, such as after `git pull`. */
export function consoleOutdated({ log }: Telemetry): void {
  log.warn({ command: 'npm run build' }, 'the console is older than its sources; build it and restart the service')
}

/** A deprecated setting was used. */
export function settingReplaced({ log }: Telemetry, event: { readonly source: string; readonly replacedBy: string }): void {
  log.warn(event, 'setting replaced')
}

/** The service stops accepting work and finishes what is running. */
export function serviceStopping({ log }: Telemetry, event: { readonly graceMs: number }): void {
  log.info(event, 'service stopping')
}

/** The last line of an orderly shutdown. */
export function serviceStopped({ log }: Telemetry): void {
  log.info('service stopped')
}

/**
 * Logs the cause of a background failure, or of one whose caller gets only a fixed sentence. Repeated equal failures, such as on a full
 * disk, are logged once a minute with their number.
 */
export function faultSurvived(
  { log, metrics, repeatedFaults }: Telemetry,
  event: { readonly where: string; readonly requestId?: string },
  fault: unknown,
): void {
  metrics.faults.add([event.where])
  const isState = fault instanceof ServiceError && fault.code === 'server_is_overloaded'
  const repeated = event.requestId === undefined || isState ? repeatedFaults.note(event.where, fault) : 0
  if (repeated !== null) log.error({ ...event, ...(repeated > 0 && { repeated }), err: fault }, 'fault survived')
}

/** Adds gauges of this process: memory, processor time and event loop delay. */
export function observeProcess({ metrics: { registry } }: Telemetry): void {
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  const gauge = (name: string, help: string, read: () => number): void => registry.gauge({ name, help, labels: [] }, () => [[[], read()]])
  gauge('process_resident_memory_bytes', 'Resident bytes of the API process.', () => process.memoryUsage.rss())
  gauge('process_start_time_seconds', 'Start of the process in Unix seconds.', () => Math.round(Date.now() / 1000 - process.uptime()))
  gauge('process_cpu_seconds', 'Processor time used.', () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  })
  gauge('sepia_event_loop_delay_p99_seconds', 'How late timers ran since the last reading, 99th percentile.', () => {
    const seconds = delay.percentile(99) / 1e9
    delay.reset()
    return seconds
  })
}

/** A sign-in or one-time code was refused. The input is not logged, because people type passwords into wrong fields. */
export function signInRefused({ log, metrics }: Telemetry, event: { readonly address: string }): void {
  metrics.signInsRefused.add([])
  log.warn(event, 'sign-in refused')
}

/** One line for each would flood the log. */
const lineEveryMs = 10_000

/** Counts bodies left out of the request log, and logs one of each reason every ten seconds. */
export function observeBodyLog(
  { log, metrics }: Telemetry,
  clock: { now(): number },
): (drop: { readonly reason: BodyDropReason; readonly accountId: string }) => void {
  const lines = new Map<BodyDropReason, number>()
  return (drop) => {
    metrics.bodiesDropped.add([drop.reason])
    const now = clock.now()
    if (now < (lines.get(drop.reason) ?? 0)) return
    lines.set(drop.reason, now + lineEveryMs)
    log.warn(drop, 'a body was left out of the request log')
  }
}

/** A delivery of a webhook was attempted; its URL is not logged, since it may contain a secret. */
export function webhookAttempted(
  { log, metrics }: Telemetry,
  event: {
    readonly deliveryId: string
    readonly inferenceId: string
    readonly attempt: number
    readonly state: 'waiting' | 'delivered' | 'given-up'
    /** HTTP status or a short reason. */
    readonly result: string
  },
): void {
  metrics.webhookAttempts.add([event.state])
  log[event.state === 'delivered' ? 'info' : 'warn'](event, 'webhook attempted')
}

/** This node has joined a cluster. */
export function clusterJoined(
  { log }: Telemetry,
  event: { readonly nodeId: string; readonly role: string; readonly url: string | null; readonly nodes: number },
): void {
  log.info(event, 'cluster joined')
}

/** Another node is unreachable or rejects this one; its slots are not used. */
export function nodeUnreached(
  { log }: Telemetry,
  event: { readonly nodeId: string; readonly host: string; readonly url: string | null },
  cause: unknown,
): void {
  log.warn({ ...event, err: cause }, 'node cannot be reached')
}
