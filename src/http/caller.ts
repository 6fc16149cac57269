import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller, Scope } from '../core/access-token.ts'
import { ServiceError } from '../core/error.ts'
import { type AuthenticationDependencies, authenticate } from '../operations/authenticate.ts'
import { clientSignal } from './client-signal.ts'

const callers = new WeakMap<FastifyRequest, Caller>()

/** Who sent an authenticated request. */
export function callerOf(request: FastifyRequest): Caller {
  const caller = callers.get(request)
  if (caller === undefined) throw new TypeError('This route is not behind authentication')
  return caller
}

/** The account of a request, or null before authentication. */
export function accountOf(request: FastifyRequest): string | null {
  return callers.get(request)?.accountId ?? null
}

/**
 * Reads and checks the bearer token of a request.
 *
 * @throws {ServiceError} `missing_token`, and what {@link authenticate} throws.
 */
export async function identifyCaller(deps: AuthenticationDependencies, request: FastifyRequest, reply: FastifyReply): Promise<Caller> {
  const match = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')
  if (match?.[1] === undefined) throw new ServiceError('missing_token', 'Send an access token in the header Authorization: Bearer <token>.')
  const caller = await authenticate(deps, { text: match[1] }, { signal: clientSignal(reply) })
  callers.set(request, caller)
  return caller
}

/** @throws {ServiceError} `insufficient_scope` when the token has none of the scopes. */
export function requireScope({ scopes }: Caller, accepted: readonly Scope[]): void {
  if (accepted.some((scope) => scopes.includes(scope))) return
  throw new ServiceError(
    'insufficient_scope',
    `Use an access token with the scope ${accepted.join(' or ')}; this one has ${scopes.join(', ')}.`,
  )
}
