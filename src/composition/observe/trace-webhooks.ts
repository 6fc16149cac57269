import type { Telemetry } from '../../telemetry/telemetry.ts'
import type { WebhookDependencies } from '../../worker/deliver-webhooks.ts'

/** Makes each attempt at a webhook in the trace that its inference was asked for in, which its receiver hears of. */
export function traceWebhooks({ traces }: Telemetry): NonNullable<WebhookDependencies['trace']> {
  return async ({ id, inferenceId, attempts, traceparent }, attempt) => {
    const span = traces.enter('webhook', { kind: 'client', traceparent: traceparent ?? undefined })
    try {
      return await span.run(() => attempt(traces.traceparent()))
    } finally {
      span.end({ attributes: { 'sepia.delivery_id': id, 'sepia.inference_id': inferenceId, 'sepia.attempt': attempts + 1 } })
    }
  }
}
