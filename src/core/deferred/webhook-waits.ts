const minute = 60_000
const hour = 60 * minute

/** Milliseconds to wait after the first, second … failed attempt to deliver a webhook, as Standard Webhooks propose. */
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
