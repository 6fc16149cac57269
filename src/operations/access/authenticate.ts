import { type AccessToken, type Caller, tokenRevoked } from '../../core/access-token.ts'
import { type Account, accountDisabled, isEnabled } from '../../core/account.ts'
import { ServiceError } from '../../core/error.ts'
import type { Store } from '../../core/ports/store.ts'
import { type Abortable, firstOf, neverAborted } from '../../core/waiting.ts'
import { hashAccessToken, isAccessTokenText } from './access-tokens.ts'
import type { RecentValues } from './recent-values.ts'

const touchEveryMs = 60_000
/**
 * Time limit for looking up a token: two queries to a database that takes half a second each. Cached results are used for four seconds at
 * most, so that a revocation takes effect everywhere within five.
 */
const lookUpLimitMs = 2000

/** An access token with the limits of its account. */
export interface TokenHolder {
  readonly token: AccessToken
  readonly accountLimits: Account['limits']
}

export interface AuthenticationDependencies extends Pick<Store, 'tokens' | 'accounts' | 'clock'> {
  /** Recently used tokens with the limits of their accounts, by hash. */
  readonly recent: RecentValues<TokenHolder>
  /** Called when the use of a token cannot be recorded. */
  readonly onFault: (error: unknown) => void
}

/**
 * Authenticates an access token.
 *
 * @throws {ServiceError} `invalid_token` (unknown, or its account is disabled), `token_expired`, `token_revoked`.
 */
export async function authenticate(
  deps: AuthenticationDependencies,
  { text }: { readonly text: string },
  options: Abortable,
): Promise<Caller> {
  const hash = hashAccessToken(text)
  const { token, accountLimits } = deps.recent.known(hash) ?? (await lookUp(deps, { text, hash }, options))
  const now = deps.clock.now()
  if (token.revokedAt !== null) throw tokenRevoked()
  if (token.expiresAt !== null && token.expiresAt <= now)
    throw new ServiceError('token_expired', 'This access token has expired; create a new one on the page Access tokens of the console.')
  if (token.lastUsedAt === null || now - token.lastUsedAt >= touchEveryMs) {
    deps.recent.change(hash, (holder) => ({ ...holder, token: { ...token, lastUsedAt: now } }))
    // Requests must neither wait for this write nor fail on a full disk; it is useful even after the caller has left.
    deps.tokens.touch(token.id, now, neverAborted).catch(deps.onFault)
  }
  const { accountId, id: tokenId, scopes, limits } = token
  const { requestsPerMinute } = limits
  return { accountId, tokenId, scopes, accountLimits, ...(requestsPerMinute !== null && { requestsPerMinute }) }
}

async function lookUp(
  deps: AuthenticationDependencies,
  { text, hash }: { readonly text: string; readonly hash: string },
  options: Abortable,
): Promise<TokenHolder> {
  if (!isAccessTokenText(text)) throw invalidToken()
  const inTime = () =>
    firstOf(
      neverAborted.signal,
      (signal) => findUsable(deps, hash, { signal }),
      async (signal) => {
        await deps.clock.wait(lookUpLimitMs, { signal })
        throw new ServiceError('server_is_overloaded', 'The access token could not be checked in time; try again.', {
          retryAfterSeconds: 1,
        })
      },
    )
  return deps.recent.get(hash, inTime, options)
}

async function findUsable({ tokens, accounts }: AuthenticationDependencies, hash: string, options: Abortable): Promise<TokenHolder> {
  const token = await tokens.findByHash(hash, options)
  if (token === null) throw invalidToken()
  const account = await accounts.find(token.accountId, options)
  if (account === null || !isEnabled(account)) throw accountDisabled()
  return { token, accountLimits: account.limits }
}

function invalidToken(): ServiceError {
  return new ServiceError(
    'invalid_token',
    'This access token is not valid; check that you copied it completely, or create a new one on the page Access tokens of the console.',
  )
}
