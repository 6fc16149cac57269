import type { Answer } from '../answer.ts'
import type { webhookSecretSchema } from './webhook-answers.ts'

/** A signing secret as its routes show it; the first of the list, at `index` 0, is the current one. */
export function encodeWebhookSecret(secret: string, index: number): Answer<typeof webhookSecretSchema> {
  return { secret, current: index === 0 }
}
