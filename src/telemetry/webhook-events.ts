import type { Telemetry } from './telemetry.ts'

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
