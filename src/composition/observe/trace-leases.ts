import type { LenderSettings } from '../../cluster/lend-slots.ts'
import type { Telemetry } from '../../telemetry/telemetry.ts'

/** Runs what another node asks of this one's models in the trace of whoever asked there. */
export function traceLeases({ traces }: Telemetry): NonNullable<LenderSettings['trace']> {
  return async ({ kind, model, traceparent }, run) => {
    const span = traces.enter(`lend ${kind}`, { kind: 'server', traceparent })
    try {
      await span.run(run)
    } finally {
      span.end({ attributes: { 'sepia.model': model } })
    }
  }
}
