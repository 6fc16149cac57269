const minute = 60_000
const hour = 60 * minute

/** Delays in milliseconds after the first, second … failed delivery of a webhook, as Standard Webhooks recommends. */
export const webhookWaitsMs: readonly number[] = [
  5_000,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
]
