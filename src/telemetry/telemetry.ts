import type { Log } from './log.ts'
import { type BeginSpan, Traces } from './otlp/traces.ts'
import { RepeatedFaults } from './repeated-faults.ts'
import { createServiceMetrics, type ServiceMetrics } from './service-metrics.ts'

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
