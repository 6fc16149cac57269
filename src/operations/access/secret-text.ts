import { hash, randomBytes } from 'node:crypto'

/** Generates a secret of 256 random bits, safe in cookies and URLs. */
export function makeSecretText(): string {
  return randomBytes(32).toString('base64url')
}

/** Hex SHA-256 of a secret, the only form that is stored. */
export function hashSecretText(text: string): string {
  return hash('sha256', text)
}
