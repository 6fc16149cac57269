import type { Log } from './create-log.ts'
import { createServiceMetrics, type ServiceMetrics } from './service-metrics.ts'

/** Where events are told: each has one function here that writes its log line and moves its metrics. */
export interface Telemetry {
  readonly log: Log
  readonly metrics: ServiceMetrics
}

/** A log and metrics that events write to together. */
export function createTelemetry(log: Log): Telemetry {
  return { log, metrics: createServiceMetrics() }
}

/** Everything measured, in the Prometheus text format. */
export function renderMetrics({ metrics }: Telemetry): string {
  return metrics.registry.render()
}
