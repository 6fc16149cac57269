import { randomBytes } from 'node:crypto'

/** How long the secret before the current one still signs. */
const rotationMs = 24 * 60 * 60 * 1000

/** A new signing secret as the Standard Webhooks write it. */
export function makeWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

/** The secrets that sign now; `known` are an account's, newest first. */
export function currentSecrets(known: readonly { readonly secret: string; readonly createdAt: number }[], now: number): readonly string[] {
  const [current] = known
  const overlaps = current !== undefined && now < current.createdAt + rotationMs
  return known.slice(0, overlaps ? 2 : 1).map(({ secret }) => secret)
}
