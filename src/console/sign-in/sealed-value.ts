import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const ivBytes = 12
const tagBytes = 16

interface Seal {
  /** The secret that all nodes share. */
  readonly serviceKey: Buffer
  /** A value sealed for one purpose cannot be opened for another. */
  readonly purpose: string
}

/** Encrypts a value as a text that a browser can carry, but neither read nor change. */
export function sealValue(value: unknown, seal: Seal): string {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv(algorithm, keyOf(seal), iv)
  const sealed = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')
}

/** The sealed value, or null when it was changed or sealed with another key. */
export function unsealValue(sealed: string, seal: Seal): unknown {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length <= ivBytes + tagBytes) return null
  const decipher = createDecipheriv(algorithm, keyOf(seal), bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
  decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
  try {
    const plain = Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()])
    return JSON.parse(plain.toString('utf8'))
  } catch {
    return null
  }
}

function keyOf({ serviceKey, purpose }: Seal): Buffer {
  return Buffer.from(hkdfSync('sha256', serviceKey, '', purpose, 32))
}
