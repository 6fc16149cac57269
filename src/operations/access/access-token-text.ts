import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const prefix = 'sepia_'
/** Base62 digits that hold 160 bits. */
const secretDigits = 27
/** Base62 digits that hold 32 bits. */
const checkDigits = 6
const shape = new RegExp(`^${prefix}[0-9A-Za-z]{${secretDigits + checkDigits}}$`)

/** Makes the text of a new access token: `sepia_`, 160 random bits and a CRC-32 check, both in Base62. */
export function makeAccessTokenText(): string {
  const secret = prefix + toBase62(BigInt(`0x${randomBytes(20).toString('hex')}`), secretDigits)
  return secret + toBase62(BigInt(crc32(secret)), checkDigits)
}

/** Whether a text can be an access token at all, so that a typing error never reaches the store. */
export function isAccessTokenText(text: string): boolean {
  if (!shape.test(text)) return false
  const secret = text.slice(0, -checkDigits)
  return toBase62(BigInt(crc32(secret)), checkDigits) === text.slice(-checkDigits)
}

/** Hex SHA-256 of a token's text: all that is ever stored of it. */
export function hashAccessToken(text: string): string {
  return hash('sha256', text, 'hex')
}

function toBase62(value: bigint, digits: number): string {
  let text = ''
  for (let left = value; text.length < digits; left /= 62n) text = alphabet.charAt(Number(left % 62n)) + text
  return text
}
