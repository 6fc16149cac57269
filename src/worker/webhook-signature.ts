import { createHmac } from 'node:crypto'

/**
 * Signs a message as Standard Webhooks do, once per secret.
 *
 * @param secrets Each `whsec_` and base64.
 * @param timestamp Unix seconds.
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function signWebhook(
  { id, timestamp, body }: { readonly id: string; readonly timestamp: number; readonly body: string },
  secrets: readonly string[],
): Readonly<Record<string, string>> {
  const sign = (secret: string) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  }
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': secrets.map(sign).join(' ') }
}
