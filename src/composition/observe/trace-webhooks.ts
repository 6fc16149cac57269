import type { Telemetry } from '../../telemetry/telemetry.ts'
import type { WebhookDependencies } from '../../worker/deliver-webhooks.ts'

/** Makes each attempt at a webhook in the trace that its inference was asked for in, which its receiver hears of. */
export function traceWebhooks({ traces }: Telemetry): NonNullable<WebhookDependencies['trace']> {
  return ({ id, inferenceId, attempts, traceparent }, attempt) => {
    const attributes = { 'sepia.delivery_id': id, 'sepia.inference_id': inferenceId, 'sepia.attempt': attempts + 1 }
    const start = { kind: 'client', traceparent: traceparent ?? undefined, attributes } as const
    return traces.within('webhook', start, () => attempt(traces.traceparent()))
  }
}
