import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'

/** How long somebody may take at the provider. */
export const flowMs = 10 * 60 * 1000

const text = Type.String({ maxLength: 200 })
const flowShape = Type.Object({
  state: text,
  nonce: text,
  verifier: text,
  begunAt: Type.Number(),
  /** Page of the console to go to afterwards. */
  page: text,
  /** Code of an invitation to use up. */
  code: Type.Union([text, Type.Null()]),
  /** Account to link to. */
  linkTo: Type.Union([text, Type.Null()]),
})

const flowChecker = Compile(flowShape)

/** A sign-in that was begun: what only the browser that began it carries, sealed, so that any node can end it. */
export type SignInFlow = Readonly<Static<typeof flowShape>>

const algorithm = 'aes-256-gcm'
const ivBytes = 12
const tagBytes = 16

/** @param serviceKey The secret that all nodes share. */
export function sealFlow(flow: SignInFlow, serviceKey: Buffer): string {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv(algorithm, keyOf(serviceKey), iv)
  const sealed = Buffer.concat([cipher.update(JSON.stringify(flow), 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')
}

/** What was sealed, or null when it was changed, sealed by others, or is too old. */
export function openFlow(sealed: string, serviceKey: Buffer, now: number): SignInFlow | null {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length <= ivBytes + tagBytes) return null
  const decipher = createDecipheriv(algorithm, keyOf(serviceKey), bytes.subarray(0, ivBytes))
  decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
  try {
    const plain = Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()])
    const flow: unknown = JSON.parse(plain.toString('utf8'))
    return flowChecker.Check(flow) && now - flow.begunAt < flowMs && flow.begunAt - now < flowMs ? flow : null
  } catch {
    return null
  }
}

/** A key for this purpose alone. */
function keyOf(serviceKey: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', serviceKey, '', 'sign-in flow', 32))
}
