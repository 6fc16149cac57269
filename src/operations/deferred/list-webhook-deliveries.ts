import type { WebhookDelivery, WebhookLog } from '../../core/ports/webhook-log.ts'

/** The account's latest webhook deliveries, newest first. */
export async function listWebhookDeliveries(
  { webhooks }: { readonly webhooks: WebhookLog },
  { accountId }: { readonly accountId: string },
  options: { readonly signal: AbortSignal },
): Promise<readonly WebhookDelivery[]> {
  return webhooks.list(accountId, options)
}
