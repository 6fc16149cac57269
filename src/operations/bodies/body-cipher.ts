import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { BodyKey } from '../../core/ports/body-keys.ts'

const algorithm = 'aes-256-gcm'

const nonceBytes = 12

const tagBytes = 16

/**
 * Encrypts and authenticates bytes: nonce, ciphertext, tag.
 *
 * @param belongsTo Authenticated context, to be repeated when decrypting.
 */
export function sealBytes(key: BodyKey, belongsTo: string, pieces: readonly Uint8Array[]): Buffer {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, key.secret, nonce).setAAD(Buffer.from(belongsTo))
  return Buffer.concat([nonce, ...pieces.map((piece) => cipher.update(piece)), cipher.final(), cipher.getAuthTag()])
}

/**
 * Decrypts bytes.
 *
 * @param belongsTo The context used for encryption, which prevents exchanging bodies.
 * @throws {Error} if anything was modified.
 */
export function openBytes(key: BodyKey, belongsTo: string, sealed: Uint8Array): Buffer {
  const decipher = createDecipheriv(algorithm, key.secret, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes })
  decipher.setAAD(Buffer.from(belongsTo)).setAuthTag(sealed.subarray(sealed.length - tagBytes))
  return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, sealed.length - tagBytes)), decipher.final()])
}
