import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller, Scope } from '../core/access-token.ts'
import { ServiceError } from '../core/error.ts'
import { type AuthenticationDependencies, authenticate } from '../operations/access/authenticate.ts'
import { isA1111Surface } from './answers/surface.ts'
import { clientSignal } from './client-signal.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who sent it, from authentication on; {@link callerOf} asks. A field, because a weak map of requests costs every collection of garbage. */
    caller?: Caller
  }
}

/** Finds out who a signed-in browser speaks for; null when the request carries no session. */
export type AuthenticateSession = (request: FastifyRequest, options: { readonly signal: AbortSignal }) => Promise<Caller | null>

export interface CallerDependencies extends AuthenticationDependencies {
  /** Asked when a request carries no token; absent where there is no console. */
  readonly authenticateSession?: AuthenticateSession
  /** Finds out who a program on this machine acts for, where it needs no token; absent = it needs one. */
  readonly authenticateLoopback?: (request: FastifyRequest['raw'], options: { readonly signal: AbortSignal }) => Promise<Caller>
}

/** Who sent an authenticated request. */
export function callerOf(request: FastifyRequest): Caller {
  const { caller } = request
  if (caller === undefined) throw new TypeError('This route is not behind authentication')
  return caller
}

/** What a request may hear of failures; nothing besides the error before authentication. */
export function errorReaderOf(request: FastifyRequest): Pick<Caller, 'ownerSeesCauses'> {
  return request.caller ?? {}
}

/** The account of a request, or null before authentication. */
export function accountOf(request: FastifyRequest): string | null {
  return request.caller?.accountId ?? null
}

/**
 * Reads and checks the bearer token of a request, or the session of the console's own pages.
 *
 * @throws {ServiceError} `missing_token`, and what {@link authenticate} throws.
 */
export async function identifyCaller(deps: CallerDependencies, request: FastifyRequest, reply: FastifyReply): Promise<Caller> {
  const options = { signal: clientSignal(reply) }
  const token = findToken(request)
  const session = token === undefined ? await deps.authenticateSession?.(request, options) : null
  const isOpen = token === undefined && deps.authenticateLoopback !== undefined
  const caller =
    session ?? (await (isOpen ? deps.authenticateLoopback(request.raw, options) : authenticate(deps, { text: readToken(token) }, options)))
  request.caller = caller
  return caller
}

/** What a request says of its token; undefined when it says nothing. Anthropic's clients and some others send it as `x-api-key`. */
function findToken(request: FastifyRequest): string | undefined {
  const { authorization, 'x-api-key': key } = request.headers
  if (authorization === undefined) return typeof key === 'string' ? `Bearer ${key}` : undefined
  return isA1111Surface(request) ? fromPassword(authorization) : authorization
}

/** A1111's clients know names and passwords alone: the token is the password, and the name is passed over. */
function fromPassword(authorization: string): string {
  const [, encoded = ''] = /^basic +([\w+/=-]+) *$/i.exec(authorization) ?? []
  const [, password] = /^[^:]*:(.+)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? []
  return password === undefined ? authorization : `Bearer ${password}`
}

function readToken(authorization = ''): string {
  const match = /^bearer +(\S+) *$/i.exec(authorization)
  if (match?.[1] !== undefined) return match[1]
  throw new ServiceError('missing_token', 'Send an access token in the header Authorization: Bearer <token>.')
}

/** @throws {ServiceError} `insufficient_scope` when the token has none of the scopes. */
export function requireScope({ scopes }: Caller, accepted: readonly Scope[]): void {
  if (accepted.some((scope) => scopes.includes(scope))) return
  throw new ServiceError(
    'insufficient_scope',
    `Use an access token with the scope ${accepted.join(' or ')}; this one has ${scopes.join(', ')}.`,
  )
}
