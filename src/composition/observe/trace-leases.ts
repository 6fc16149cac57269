import type { LenderSettings } from '../../cluster/lend-slots.ts'
import type { Telemetry } from '../../telemetry/telemetry.ts'

/** Runs what another node asks of this one's models in the trace of whoever asked there. */
export function traceLeases({ traces }: Telemetry): NonNullable<LenderSettings['trace']> {
  return ({ kind, model, traceparent }, run) =>
    traces.within(`lend ${kind}`, { kind: 'server', traceparent, attributes: { 'sepia.model': model } }, run)
}
