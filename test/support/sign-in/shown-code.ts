import { oneTimeCode } from '../../../src/operations/access/one-time-code.ts'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** What an authenticator app shows that was given a secret in base32. @param now Unix milliseconds. */
export function shownCode(secret: string, now: number): string {
  const bits = [...secret].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('')
  const bytes = Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2))
  return oneTimeCode(bytes, Math.floor(now / 30_000))
}
