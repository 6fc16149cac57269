import { oneTimeCode } from '../../../src/operations/access/second-factor.ts'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** The code that an authenticator app shows for a secret in base32. @param now Unix milliseconds. */
export function shownCode(secret: string, now: number): string {
  const bits = [...secret].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('')
  const bytes = Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2))
  return oneTimeCode(bytes, Math.floor(now / 30_000))
}

/** So many codes that the app shows at no time within ten minutes of this one, each another. */
export function wrongCodes(secret: string, now: number, count: number): readonly string[] {
  const shown = new Set(Array.from({ length: 41 }, (_, at) => shownCode(secret, now + (at - 20) * 30_000)))
  const codes = Array.from({ length: count + shown.size }, (_, at) => String(at).padStart(6, '0'))
  return codes.filter((code) => !shown.has(code)).slice(0, count)
}
