import type { WebhookDelivery, WebhookLog } from '../../core/ports/webhook-log.ts'

/** The account's latest webhook deliveries, newest first. */
export async function listWebhookDeliveries(
  { webhooks }: { readonly webhooks: WebhookLog },
  { accountId }: { readonly accountId: string },
  options: { readonly signal: AbortSignal },
): Promise<readonly WebhookDelivery[]> {
  return webhooks.list(accountId, options)
}

/** Signing secrets of the account's webhooks, newest first; two for a day after a rotation. */
export async function readWebhookSecrets(
  { webhooks }: { readonly webhooks: WebhookLog },
  { accountId }: { readonly accountId: string },
  options: { readonly signal: AbortSignal },
): Promise<readonly string[]> {
  return webhooks.secrets(accountId, options)
}

/** Creates a new signing secret; the previous one stays valid for another day. */
export async function rotateWebhookSecret(
  { webhooks }: { readonly webhooks: WebhookLog },
  { accountId }: { readonly accountId: string },
  options: { readonly signal: AbortSignal },
): Promise<string> {
  return webhooks.rotateSecret(accountId, options)
}
