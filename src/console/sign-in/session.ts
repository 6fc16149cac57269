import type { IncomingHttpHeaders } from 'node:http'
import { type Caller, scopes } from '../../core/access-token.ts'
import type { Account, Session } from '../../core/account.ts'
import { ServiceError } from '../../core/error.ts'
import type { Store } from '../../core/ports/store.ts'
import type { Abortable } from '../../core/waiting.ts'
import { hashSecretText, makeSecretText } from '../../operations/access/secret-text.ts'
import { type OwnHosts, requireOwnHost, requireSameOrigin } from '../request-guard.ts'
import { readHostCookie, writeHostCookie } from './host-cookie.ts'

const name = 'sepia_session'

/** The `Set-Cookie` value that signs a browser in; `maxAgeMs` 0 signs it out. */
export function writeSessionCookie(secret: string, site: { readonly publicUrl: string; readonly maxAgeMs: number }): string {
  return writeHostCookie(name, secret, site)
}

/** The session's secret in a request, or null. */
export function readSessionCookie(headers: IncomingHttpHeaders, publicUrl: string): string | null {
  return readHostCookie(name, headers, publicUrl)
}

/** Interval at which use of a session is stored: otherwise every request of a page would be a write. */
const touchEveryMs = 5 * 60 * 1000

export type SessionDependencies = Pick<Store, 'accounts' | 'clock'>

/** A session to open. */
interface NewSession extends Pick<Session, 'accountId' | 'address' | 'agent'> {
  /** How long the browser stays signed in. */
  readonly lifetimeMs: number
  /** The hash of the password that was verified, which must still be the account's; absent = there was none. */
  readonly passwordHash?: string | null
}

/**
 * Signs a browser in. The secret is only in its cookie.
 *
 * @throws {ServiceError} `invalid_token` when the account is locked, or its password was changed meanwhile.
 */
export async function openSession(
  { accounts, clock }: SessionDependencies,
  { accountId, address, agent, lifetimeMs, passwordHash = null }: NewSession,
  options: Abortable,
): Promise<string> {
  const secret = makeSecretText()
  const now = clock.now()
  const session = { hash: hashSecretText(secret), accountId, address, agent, createdAt: now, expiresAt: now + lifetimeMs, lastUsedAt: now }
  if (await accounts.createSession(session, { ...options, passwordHash })) return secret
  throw new ServiceError(
    'invalid_token',
    'This account is locked or its password was changed; sign in again, or ask an owner of the service.',
  )
}

/** The account of a session's secret, or null when the session has ended or the account is locked. */
export async function findSessionAccount(
  { accounts, clock }: SessionDependencies,
  secret: string,
  options: Abortable,
): Promise<Account | null> {
  const session = await accounts.findSession(hashSecretText(secret), options)
  if (session === null || session.expiresAt <= clock.now()) return null
  const account = await accounts.find(session.accountId, options)
  if (account === null || account.disabledAt !== null) return null
  if (session.lastUsedAt === null || clock.now() - session.lastUsedAt >= touchEveryMs)
    await accounts.touchSession(session.hash, clock.now(), options)
  return account
}

/** Ends a session; its cookie becomes invalid. */
export async function closeSession({ accounts }: SessionDependencies, secret: string, options: Abortable): Promise<void> {
  await accounts.deleteSession(hashSecretText(secret), options)
}

/** An account's open sessions, newest first. */
export async function listOpenSessions(
  { accounts, clock }: SessionDependencies,
  accountId: string,
  options: Abortable,
): Promise<readonly Session[]> {
  const sessions = await accounts.listSessions(accountId, options)
  return sessions.filter(({ expiresAt }) => expiresAt > clock.now()).toReversed()
}

/**
 * Ends one of an account's sessions.
 *
 * @throws {ServiceError} `not_found` when it has no session with this hash.
 */
export async function endSession(
  { accounts }: SessionDependencies,
  { hash, accountId }: Pick<Session, 'hash' | 'accountId'>,
  options: Abortable,
): Promise<void> {
  const session = await accounts.findSession(hash, options)
  if (session?.accountId !== accountId) throw new ServiceError('not_found', 'This session has ended already.')
  await accounts.deleteSession(hash, options)
}

/**
 * Authenticates the console's own pages on the public interface.
 *
 * @returns The account of a signed-in browser, or null without a session.
 * @throws {ServiceError} `invalid_request_error` and `insufficient_scope` when there is a session, but another site sent the request.
 */
export async function authenticateSession(
  deps: SessionDependencies & OwnHosts,
  request: { readonly method: string; readonly headers: IncomingHttpHeaders },
  options: Abortable,
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
