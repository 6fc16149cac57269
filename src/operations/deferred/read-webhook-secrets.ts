import type { WebhookLog } from '../../core/ports/webhook-log.ts'

/** The secrets that sign the account's webhooks, newest first; two for a day after a rotation. */
export async function readWebhookSecrets(
  { webhooks }: { readonly webhooks: WebhookLog },
  { accountId }: { readonly accountId: string },
  options: { readonly signal: AbortSignal },
): Promise<readonly string[]> {
  return webhooks.secrets(accountId, options)
}
