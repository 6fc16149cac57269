import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { makeSecretText } from '../../operations/access/secret-text.ts'
import { readHostCookie, writeHostCookie } from './host-cookie.ts'

const name = 'sepia_known'
const rememberedMs = 365 * 24 * 60 * 60 * 1000

/** An account and its password's hash, which signs the cookie. */
export interface SignInSecret {
  readonly accountId: string
  readonly passwordHash: string
}

/**
 * The `Set-Cookie` value that marks a browser that has signed in before, so that others' guesses do not slow it down. It does not sign in,
 * and a new password invalidates it.
 *
 * @see OWASP, "Slow Down Online Guessing Attacks with Device Cookies"
 */
export function writeKnownBrowser(secret: SignInSecret, publicUrl: string): string {
  const id = makeSecretText()
  return writeHostCookie(name, `${id}.${sign(secret, id).toString('base64url')}`, { publicUrl, maxAgeMs: rememberedMs })
}

/** The id of a browser that has signed in to this account before, or null. */
export function readKnownBrowser(headers: IncomingHttpHeaders, secret: SignInSecret, publicUrl: string): string | null {
  const [id = '', proof = ''] = readHostCookie(name, headers, publicUrl)?.split('.') ?? []
  const given = Buffer.from(proof, 'base64url')
  const expected = sign(secret, id)
  return given.length === expected.length && timingSafeEqual(given, expected) ? id : null
}

/** The stored hash is as secret as its salt, which clients never see. */
function sign({ accountId, passwordHash }: SignInSecret, id: string): Buffer {
  return createHmac('sha256', passwordHash).update(`known browser\n${accountId}\n${id}`).digest()
}

const longestAgent = 200

/** The address and user agent of a request, by which users recognise their browsers. */
export function browserOf({ ip, headers }: FastifyRequest): { readonly address: string; readonly agent: string | null } {
  const agent = (headers['user-agent'] ?? '').replace(/\p{Cc}/gu, '').slice(0, longestAgent)
  return { address: ip, agent: agent === '' ? null : agent }
}
