import type { WebhookDelivery } from '../../core/ports/webhook-log.ts'

/** A delivery as its owner may see it. */
export type ListedDelivery = Omit<WebhookDelivery, 'accountId'>

/** GET /console/api/webhooks. */
export interface Webhooks {
  /** Newest first; two for a day after a rotation. */
  readonly secrets: readonly string[]
  /** Newest first. */
  readonly deliveries: readonly ListedDelivery[]
}
