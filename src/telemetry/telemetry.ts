import type { Log } from './log.ts'
import { type BeginSpan, Traces } from './otlp/traces.ts'
import { RepeatedFaults } from './repeated-faults.ts'
import { createServiceMetrics, type ServiceMetrics } from './service-metrics.ts'

/** Where events are recorded: each has one function here that writes its log line and moves its metrics. */
export interface Telemetry {
  readonly log: Log
  readonly metrics: ServiceMetrics
  readonly traces: Traces
  readonly repeatedFaults: RepeatedFaults
}

/**
 * A log, metrics and traces that events write to together.
 *
 * @param options.begin Sends spans to a collector; absent = there is none.
 * @param options.now Milliseconds of a clock that nobody sets.
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

/** Everything measured, in the Prometheus text format. */
export function renderMetrics({ metrics }: Telemetry): string {
  return metrics.registry.render()
}
