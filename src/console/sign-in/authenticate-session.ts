import type { IncomingHttpHeaders } from 'node:http'
import { type Caller, scopes } from '../../core/access-token.ts'
import { type OwnHosts, requireOwnHost, requireSameOrigin } from '../request-guard.ts'
import { findSessionAccount, type SessionDependencies } from './session.ts'
import { readSessionCookie } from './session-cookie.ts'

/**
 * Lets the console's own pages use the public interface: who a signed-in browser speaks for, or null without a session.
 *
 * @throws {ServiceError} `invalid_request_error` and `insufficient_scope` when there is a session, but another site sent the request.
 */
export async function authenticateSession(
  deps: SessionDependencies & OwnHosts,
  request: { readonly method: string; readonly headers: IncomingHttpHeaders },
  options: { readonly signal: AbortSignal },
): Promise<Caller | null> {
  const { publicUrl } = deps.addresses()
  const secret = readSessionCookie(request.headers, publicUrl)
  if (secret === null) return null
  requireOwnHost(request.headers, deps)
  requireSameOrigin(request, publicUrl)
  const account = await findSessionAccount(deps, secret, options)
  if (account === null) return null
  const { id: accountId, limits: accountLimits } = account
  return { accountId, tokenId: null, scopes, accountLimits, ...(account.role === 'owner' && { ownerSeesCauses: true }) }
}
