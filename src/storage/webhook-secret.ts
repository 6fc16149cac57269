import { randomBytes } from 'node:crypto'

/** Time for which the previous secret still signs. */
const rotationMs = 24 * 60 * 60 * 1000

/** Generates a signing secret in the format of Standard Webhooks. */
export function makeWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

/** The secrets in use; `known` are an account's secrets, newest first. */
export function currentSecrets(known: readonly { readonly secret: string; readonly createdAt: number }[], now: number): readonly string[] {
  const [current] = known
  const overlaps = current !== undefined && now < current.createdAt + rotationMs
  return known.slice(0, overlaps ? 2 : 1).map(({ secret }) => secret)
}
