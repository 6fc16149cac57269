import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import type { NewPasskey, PasskeyProof } from '../../../src/console/contract/passkeys.ts'

/** How an authenticator answers; what is left out is as it should be. */
export interface AuthenticatorAnswer {
  readonly challenge: string
  readonly origin: string
  readonly rpID: string
  readonly counter?: number
  /** Whether it asked for a touch or a PIN. */
  readonly verified?: boolean
  readonly userHandle?: string
}

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')

/** A passkey in this process: an ES256 key that answers as WebAuthn says, or as an enemy would. */
export class SoftwareAuthenticator {
  readonly credentialId: string
  readonly #privateKey: KeyObject
  readonly #publicKey: KeyObject

  constructor() {
    this.credentialId = base64url(randomBytes(32))
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    this.#privateKey = privateKey
    this.#publicKey = publicKey
  }

  /** What a browser sends to register it. */
  register(answer: AuthenticatorAnswer): NewPasskey['credential'] {
    const id = Buffer.from(this.credentialId, 'base64url')
    const { x = '', y = '' } = this.#publicKey.export({ format: 'jwk' })
    const key = cborMap([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ])
    const length = Buffer.alloc(2)
    length.writeUInt16BE(id.length)
    const data = Buffer.concat([authenticatorData(answer, 0x40), Buffer.alloc(16), length, id, key])
    const attestation = cborMap([
      ['fmt', 'none'],
      ['attStmt', null],
      ['authData', data],
    ])
    return { id: this.credentialId, clientDataJSON: clientData('webauthn.create', answer), attestationObject: base64url(attestation) }
  }

  /** What a browser sends to sign in with it. */
  prove(answer: AuthenticatorAnswer): PasskeyProof {
    const data = authenticatorData(answer, 0)
    const clientDataJSON = clientData('webauthn.get', answer)
    const hash = createHash('sha256').update(Buffer.from(clientDataJSON, 'base64url')).digest()
    const signature = sign('sha256', Buffer.concat([data, hash]), this.#privateKey)
    const { userHandle } = answer
    return {
      id: this.credentialId,
      clientDataJSON,
      authenticatorData: base64url(data),
      signature: base64url(signature),
      ...(userHandle !== undefined && { userHandle: base64url(Buffer.from(userHandle)) }),
    }
  }
}

function clientData(type: string, { challenge, origin }: AuthenticatorAnswer): string {
  return base64url(Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false })))
}

/** @see WebAuthn, section 6.1: hash of the place, flags, count */
function authenticatorData({ rpID, counter = 0, verified = true }: AuthenticatorAnswer, flags: number): Buffer {
  const count = Buffer.alloc(4)
  count.writeUInt32BE(counter)
  return Buffer.concat([createHash('sha256').update(rpID).digest(), Buffer.of(flags | 0x01 | (verified ? 0x04 : 0)), count])
}

/** null = a map with nothing in it. */
type Cbor = number | string | Uint8Array | null

/** As much of CBOR as an attestation needs. @see RFC 8949, section 3 */
function cborMap(pairs: readonly (readonly [number | string, Cbor])[]): Buffer {
  return Buffer.concat([head(5, pairs.length), ...pairs.flatMap(([key, value]) => [cbor(key), cbor(value)])])
}

function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  return value instanceof Uint8Array ? Buffer.concat([head(2, value.length), value]) : head(5, 0)
}

function head(major: number, count: number): Buffer {
  if (count < 24) return Buffer.of((major << 5) | count)
  return count < 256 ? Buffer.of((major << 5) | 24, count) : Buffer.of((major << 5) | 25, count >> 8, count & 255)
}
