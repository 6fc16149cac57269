import type { Account } from '../../core/account.ts'

/**
 * The address in a QR code for authenticator apps.
 *
 * @param secret In base32.
 * @see https://github.com/google/google-authenticator/wiki/Key-Uri-Format
 */
export function authenticatorAddress({ email, name }: Pick<Account, 'email' | 'name'>, secret: string): string {
  return `otpauth://totp/${encodeURIComponent(`Sepia:${email ?? name}`)}?secret=${secret}&issuer=Sepia&algorithm=SHA1&digits=6&period=30`
}
