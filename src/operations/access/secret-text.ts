import { createHash, randomBytes } from 'node:crypto'

/** A new secret of 256 random bits, safe in cookies and addresses. */
export function makeSecretText(): string {
  return randomBytes(32).toString('base64url')
}

/** Hex SHA-256 of a secret: all that is ever stored of it. */
export function hashSecretText(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
