import { hash, randomBytes, randomUUID } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { type AccessToken, scopes as everyScope, type Scope } from '../../core/access-token.ts'
import { ServiceError } from '../../core/error.ts'
import { noUseLimits, type UseLimits } from '../../core/limits/use-limits.ts'
import type { AccessTokenStore, TokenTarget } from '../../core/ports/access-token-store.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { Store } from '../../core/ports/store.ts'
import type { Abortable } from '../../core/waiting.ts'
import { readGivenName } from './accounts.ts'

interface TokenDependencies {
  readonly tokens: AccessTokenStore
  readonly clock: Clock
  readonly mostTokens?: number
}

export interface NewAccessToken {
  readonly accountId: string
  /** Display name, 1 to 100 characters. */
  readonly name: string
  /** At least one. */
  readonly scopes: readonly Scope[]
  /** Unix milliseconds, in the future; null = never. */
  readonly expiresAt: number | null
}

/**
 * Creates an access token. Its text is returned once and never stored.
 *
 * @param deps.mostTokens Maximum number of usable tokens per account; absent = unlimited.
 * @throws {ServiceError} `validation_error`, `concurrency_limit_exceeded`.
 */
export async function createAccessToken(
  { tokens, clock, mostTokens: most }: TokenDependencies,
  { accountId, name, scopes, expiresAt }: NewAccessToken,
  options: Abortable,
): Promise<{ readonly text: string; readonly token: AccessToken }> {
  const shortName = readGivenName(name, 'the token')
  if (scopes.length === 0)
    throw new ServiceError('validation_error', `Give the token at least one scope of: ${everyScope.join(', ')}.`, { param: 'scopes' })
  const now = clock.now()
  if (expiresAt !== null && expiresAt <= now)
    throw new ServiceError('validation_error', 'Choose an expiry in the future, or none.', { param: 'expires_at' })
  const text = makeAccessTokenText()
  const token: AccessToken = {
    id: randomUUID(),
    accountId,
    name: shortName,
    hash: hashAccessToken(text),
    hint: text.slice(-4),
    scopes: everyScope.filter((scope) => scopes.includes(scope)),
    createdAt: now,
    expiresAt,
    revokedAt: null,
    lastUsedAt: null,
    limits: noUseLimits,
  }
  if (!(await tokens.create(token, { ...options, most }))) throw tooMany(most)
  return { text, token }
}

function tooMany(most: number | undefined): ServiceError {
  return new ServiceError(
    'concurrency_limit_exceeded',
    `This account has reached its limit of ${most} access tokens (account-tokens); revoke one that you no longer need.`,
    { retryAfterSeconds: 5 },
  )
}

/** An account's tokens, newest first, including revoked and expired ones. */
export async function listAccessTokens(
  { tokens }: { readonly tokens: AccessTokenStore },
  { accountId }: { readonly accountId: string },
  options: Abortable,
): Promise<readonly AccessToken[]> {
  const found = await tokens.list(accountId, options)
  return found.toSorted((a, b) => b.createdAt - a.createdAt)
}

/**
 * Sets the limits of a token; they take effect within five seconds.
 *
 * @returns Whether they changed.
 * @throws {ServiceError} `not_found` if the account has no such token.
 */
export async function limitAccessToken(
  { tokens }: { readonly tokens: AccessTokenStore },
  target: TokenTarget,
  limits: Partial<UseLimits>,
  options: Abortable,
): Promise<boolean> {
  if (await tokens.limit(target, limits, options)) return true
  if (await isOwn(tokens, target, options)) return false
  throw new ServiceError('not_found', 'This account has no such access token.')
}

/**
 * Revokes a token. Within five seconds every node rejects it and ends its synchronous requests. Idempotent.
 *
 * @returns False = it was revoked already.
 * @throws {ServiceError} `not_found` if the account has no such token.
 */
export async function revokeAccessToken(
  { tokens, clock }: Pick<Store, 'tokens' | 'clock'>,
  target: TokenTarget,
  options: Abortable,
): Promise<boolean> {
  if (await tokens.revoke(target, clock.now(), options)) return true
  if (await isOwn(tokens, target, options)) return false
  throw new ServiceError('not_found', 'Use the id of one of your own tokens, as the list shows it.')
}

async function isOwn(tokens: AccessTokenStore, { id, accountId }: TokenTarget, options: Abortable): Promise<boolean> {
  return (await tokens.list(accountId, options)).some((token) => token.id === id)
}

/** Time for undoing a revocation; the page offers it for ten seconds. */
const undoMs = 60_000

/**
 * Undoes the revocation of a token within a minute.
 *
 * @param deps.mostTokens Maximum number of usable tokens per account; absent = unlimited.
 * @throws {ServiceError} `not_found` if the account has no token revoked that recently, `concurrency_limit_exceeded`.
 */
export async function restoreAccessToken(
  { tokens, clock, mostTokens: most }: TokenDependencies,
  target: TokenTarget,
  options: Abortable,
): Promise<void> {
  const since = clock.now() - undoMs
  if (await tokens.restore(target, since, { ...options, most })) return
  const token = (await tokens.list(target.accountId, options)).find(({ id }) => id === target.id)
  if (token !== undefined && (token.revokedAt ?? 0) >= since) throw tooMany(most)
  throw new ServiceError('not_found', 'It is too late to undo this; create a new token.')
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const prefix = 'sepia_'
/** Base62 digits needed for 160 bits. */
const secretDigits = 27
/** Base62 digits needed for 32 bits. */
const checkDigits = 6
const shape = new RegExp(`^${prefix}[0-9A-Za-z]{${secretDigits + checkDigits}}$`)

/** Generates the text of an access token: `sepia_`, 160 random bits and a CRC-32, both in Base62. */
export function makeAccessTokenText(): string {
  const secret = prefix + toBase62(BigInt(`0x${randomBytes(20).toString('hex')}`), secretDigits)
  return secret + toBase62(BigInt(crc32(secret)), checkDigits)
}

/** Whether a text has the form and checksum of an access token, so that typing errors never reach the store. */
export function isAccessTokenText(text: string): boolean {
  if (!shape.test(text)) return false
  const secret = text.slice(0, -checkDigits)
  return toBase62(BigInt(crc32(secret)), checkDigits) === text.slice(-checkDigits)
}

/** Hex SHA-256 of a token's text, the only form that is stored. */
export function hashAccessToken(text: string): string {
  return hash('sha256', text, 'hex')
}

function toBase62(value: bigint, digits: number): string {
  let text = ''
  for (let left = value; text.length < digits; left /= 62n) text = alphabet.charAt(Number(left % 62n)) + text
  return text
}
