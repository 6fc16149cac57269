import { keepNewest } from '../core/keep-newest.ts'
import type { Log } from './log.ts'
import { type BeginSpan, Traces } from './otlp/traces.ts'
import { createServiceMetrics, type ServiceMetrics } from './service-metrics.ts'

const againMs = 60_000
/** Maximum number of distinct faults; the one reported longest ago is dropped first. */
const maxKinds = 200

interface Reported {
  readonly reportedAt: number
  readonly metAt: number
  readonly unreported: number
}

/** Limits logging of repeated faults: one that occurs four times a second on a full disk is logged once a minute. */
class RepeatedFaults {
  readonly #now: () => number
  readonly #reported = new Map<string, Reported>()

  /** @param now Milliseconds of a monotonic clock. */
  constructor(now: () => number) {
    this.#now = now
  }

  /** @returns Number of occurrences since the last report if one is due; null = not due. */
  note(where: string, fault: unknown): number | null {
    const now = this.#now()
    const kind = `${where} ${describe(fault)}`
    const reported = this.#reported.get(kind)
    const continues = reported !== undefined && now - reported.metAt < againMs
    if (continues && now - reported.reportedAt < againMs) {
      this.#reported.set(kind, { ...reported, metAt: now, unreported: reported.unreported + 1 })
      return null
    }
    keepNewest(this.#reported, kind, { reportedAt: now, metAt: now, unreported: 0 }, maxKinds)
    return continues ? reported.unreported : 0
  }
}

function describe(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault)
  return fault.cause instanceof Error ? `${fault.message} ${fault.cause.message}` : fault.message
}

/** Destination of events; each has a function that writes its log line and updates its metrics. */
export interface Telemetry {
  readonly log: Log
  readonly metrics: ServiceMetrics
  readonly traces: Traces
  readonly repeatedFaults: RepeatedFaults
}

/**
 * Combines log, metrics and traces.
 *
 * @param options.begin Sends spans to a collector; absent = none.
 * @param options.now Milliseconds of a monotonic clock.
 */
export function createTelemetry(
  log: Log,
  {
    metrics = createServiceMetrics(),
    begin = null,
    now = () => performance.now(),
  }: { readonly metrics?: ServiceMetrics; readonly begin?: BeginSpan | null; readonly now?: () => number } = {},
): Telemetry {
  return { log, metrics, traces: new Traces(begin), repeatedFaults: new RepeatedFaults(now) }
}

/** All metrics in the Prometheus text format. */
export function renderMetrics({ metrics }: Telemetry): string {
  return metrics.registry.render()
}
