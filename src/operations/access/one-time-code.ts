import { createHmac, timingSafeEqual } from 'node:crypto'

const stepMs = 30_000
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/**
 * The one-time code of a step of 30 seconds.
 *
 * @see RFC 6238 with HMAC-SHA-1 over RFC 4226's truncation
 */
export function oneTimeCode(secret: Uint8Array, step: number, digits = 6): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const hash = createHmac('sha1', secret).update(counter).digest()
  const offset = hash.readUInt8(hash.length - 1) & 0xf
  return String((hash.readUInt32BE(offset) & 0x7fff_ffff) % 10 ** digits).padStart(digits, '0')
}

/** The step that a code belongs to, of now, the one before and the one after; null = none. @param now Unix milliseconds. */
export function findStep(secret: Uint8Array, code: string, now: number): number | null {
  const current = Math.floor(now / stepMs)
  const given = Buffer.from(code)
  const fits = (step: number) => {
    const expected = Buffer.from(oneTimeCode(secret, step))
    return given.length === expected.length && timingSafeEqual(given, expected)
  }
  return [current, current - 1, current + 1].find((step) => step >= 0 && fits(step)) ?? null
}

/** Bytes in the letters and digits that people type into an app. @see RFC 4648, section 6, without padding */
export function base32(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let held = 0
  for (const byte of bytes) {
    held = (held << 8) | byte
    for (bits += 8; bits >= 5; bits -= 5) text += alphabet[(held >>> (bits - 5)) & 31]
    held &= (1 << bits) - 1
  }
  return bits > 0 ? text + alphabet[(held << (5 - bits)) & 31] : text
}
