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

/** What this machine offers to confine engines. */
export function enginesConfined(
  { log }: Telemetry,
  event: { readonly files: boolean; readonly network: boolean; readonly memory: boolean },
): void {
  log.info(event, 'engines are confined as far as the system allows')
}

/** The database is fit for the service, but its operator should know something about it. */
export function databaseDoubtful({ log }: Telemetry, event: { readonly warning: string }): void {
  log.warn(event, 'the database could be safer')
}

/** The system lets the process have fewer files open than its settings allow connections. */
export function descriptorsScarce({ log }: Telemetry, event: { readonly warning: string }): void {
  log.warn(event, 'too few file descriptors')
}

/** A setting of an older version is still read; it will be refused one day. */
export function settingReplaced({ log }: Telemetry, event: { readonly source: string; readonly replacedBy: string }): void {
  log.warn(event, 'setting replaced')
}

/** The service takes nothing new and ends what it has. */
export function serviceStopping({ log }: Telemetry, event: { readonly graceMs: number }): void {
  log.info(event, 'service stopping')
}

/** The last line of a service that ended in order. */
export function serviceStopped({ log }: Telemetry): void {
  log.info('service stopped')
}

/**
 * Something failed that nobody requested, or whose caller gets a fixed sentence; this is where its cause is kept. What is tried again by itself, and what every
 * request runs into while the service is in that state (a full disk), is logged once a minute while it fails alike, with how often it did meanwhile.
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

/** Adds the gauges of this process: memory, processor time, how late the event loop runs. */
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

/** A sign-in or a one-time code was refused. What was typed is not logged: people type passwords into the wrong field. */
export function signInRefused({ log, metrics }: Telemetry, event: { readonly address: string }): void {
  metrics.signInsRefused.add([])
  log.warn(event, 'sign-in refused')
}

/** A line for each of many would fill the log. */
const lineEveryMs = 10_000

/** Tells of bodies that are left out of the request log: each is counted, and every ten seconds one of each reason gets a line. */
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

/** One attempt to deliver a webhook has ended; the address is not logged, it may hold a secret. */
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

/** This node became one of a cluster. */
export function clusterJoined(
  { log }: Telemetry,
  event: { readonly nodeId: string; readonly role: string; readonly url: string | null; readonly nodes: number },
): void {
  log.info(event, 'cluster joined')
}

/** Another node could not be reached, or takes this one for a stranger: its slots are not used. */
export function nodeUnreached(
  { log }: Telemetry,
  event: { readonly nodeId: string; readonly host: string; readonly url: string | null },
  cause: unknown,
): void {
  log.warn({ ...event, err: cause }, 'node cannot be reached')
}
