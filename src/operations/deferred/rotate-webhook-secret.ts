import type { WebhookLog } from '../../core/ports/webhook-log.ts'

/** Makes a new signing secret; the one before it signs along for another day. */
export async function rotateWebhookSecret(
  { webhooks }: { readonly webhooks: WebhookLog },
  { accountId }: { readonly accountId: string },
  options: { readonly signal: AbortSignal },
): Promise<string> {
  return webhooks.rotateSecret(accountId, options)
}
