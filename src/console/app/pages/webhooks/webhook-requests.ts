import type { WebhookDelivery } from '../../../../core/ports/webhook-log.ts'
import { request, send } from '../../interface/request.ts'

/** A delivery as the console may see it. */
export type ListedDelivery = Omit<WebhookDelivery, 'accountId'>

export interface Webhooks {
  /** Newest first; two for a day after a rotation. */
  readonly secrets: readonly string[]
  /** Newest first. */
  readonly deliveries: readonly ListedDelivery[]
}

export function loadWebhooks(signal?: AbortSignal): Promise<Webhooks> {
  return request<Webhooks>('/console/api/webhooks', { signal })
}

export async function rotateSecret(): Promise<void> {
  await send('/console/api/webhooks/rotate', { method: 'POST' })
}
