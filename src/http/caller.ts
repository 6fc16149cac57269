import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller, Scope } from '../core/access-token.ts'
import { ServiceError } from '../core/error.ts'
import type { Abortable } from '../core/waiting.ts'
import { type AuthenticationDependencies, authenticate } from '../operations/access/authenticate.ts'
import { isA1111Surface } from './answers/surface.ts'
import { clientSignal } from './client-signal.ts'
import type { HttpObserver } from './http-observer.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by authentication; read it with {@link callerOf}. A field, because a WeakMap of requests slows down every garbage collection. */
    caller?: Caller
  }
}

/** Finds the account of a signed-in browser; null when the request carries no session. */
export type AuthenticateSession = (request: FastifyRequest, options: Abortable) => Promise<Caller | null>

export interface CallerDependencies extends Omit<AuthenticationDependencies, 'onFault'> {
  readonly observer: Pick<HttpObserver, 'faultSurvived'>
  /** Called when a request carries no token; absent when the console is off. */
  readonly authenticateSession?: AuthenticateSession
  /** Finds the account of a program on this machine that needs no token; absent = it needs one. */
  readonly authenticateLoopback?: (request: FastifyRequest['raw'], options: Abortable) => Promise<Caller>
}

/** The caller of an authenticated request. */
export function callerOf(request: FastifyRequest): Caller {
  const { caller } = request
  if (caller === undefined) throw new TypeError('This route is not behind authentication')
  return caller
}

/** Whether a request may see causes of failures; it may not before authentication. */
export function errorReaderOf(request: FastifyRequest): Pick<Caller, 'ownerSeesCauses'> {
  return request.caller ?? {}
}

/** The account of a request, or null before authentication. */
export function accountOf(request: FastifyRequest): string | null {
  return request.caller?.accountId ?? null
}

/**
 * Checks the bearer token of a request, or the session of the console's own pages.
 *
 * @throws {ServiceError} `missing_token`, and the errors of {@link authenticate}.
 */
export async function identifyCaller(deps: CallerDependencies, request: FastifyRequest, reply: FastifyReply): Promise<Caller> {
  const options = { signal: clientSignal(reply) }
  const token = findToken(request)
  const session = token === undefined ? await deps.authenticateSession?.(request, options) : null
  const isOpen = token === undefined && deps.authenticateLoopback !== undefined
  const { tokens, accounts, clock, recent, observer } = deps
  const onFault = (error: unknown) => observer.faultSurvived({ requestId: request.id, error })
  const check = () => authenticate({ tokens, accounts, clock, recent, onFault }, { text: readToken(token) }, options)
  const caller = session ?? (await (isOpen ? deps.authenticateLoopback(request.raw, options) : check()))
  request.caller = caller
  return caller
}

/**
 * The token of a request; undefined when it carries none. Anthropic's clients and some others send it as `x-api-key`, Azure's as `api-key`.
 * Beside it, some send an Authorization header without a token.
 */
function findToken(request: FastifyRequest): string | undefined {
  const { authorization = '', 'x-api-key': key, 'api-key': azureKey } = request.headers
  if (/^(?:bearer)? *$/i.test(authorization)) {
    const given = [azureKey, key].find((value) => typeof value === 'string' && value.trim() !== '')
    return given === undefined ? undefined : `Bearer ${String(given).replace(/^bearer +/i, '')}`
  }
  return isA1111Surface(request) ? fromPassword(authorization) : authorization
}

/** A1111's clients send only a name and a password: the password is the token, and the name is ignored. */
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
