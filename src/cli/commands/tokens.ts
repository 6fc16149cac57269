import { parseDuration } from '../../config/duration.ts'
import { type AccessToken, scopes as everyScope, type Scope } from '../../core/access-token.ts'
import type { Abortable } from '../../core/waiting.ts'
import type { AccountDesk } from '../cli-backend.ts'
import { allowNewDatabase, type Command, confirm, yesFlag } from '../command.ts'
import { UsageError } from '../failures.ts'
import { limitCommand, limitFields, useLimitFlags } from '../limits.ts'
import { isoTime, printableLine, textTable } from '../printed-text.ts'

export const createToken: Command = {
  words: ['token', 'create'],
  summary: 'Create an access token and print it once.',
  flags: [
    { name: 'name', form: '<text>', help: 'What the token is for.', required: true },
    { name: 'scopes', form: '<scope>,…', help: `What it may do: ${everyScope.join(', ')}. Default: all of them.` },
    { name: 'expires', form: '<duration>', help: 'How long it is valid, such as 30d. Default: no expiry.' },
    { name: 'account', form: '<id>', help: 'The account of the token. Default: the first account.' },
  ],
  settings: ['data', 'database-url', 'database-url-file'],
  run: async (context) => {
    const { backend, config, flags, terminal, signal } = context
    const wanted = {
      accountId: flags.get('account') ?? null,
      name: flags.get('name') ?? '',
      scopes: parseScopes(flags.get('scopes') ?? everyScope.join(',')),
      lifetimeMs: parseLifetime(flags.get('expires')),
    }
    await using desk = await backend.openAccountDesk(config, { signal, ...allowNewDatabase(context) })
    const { text, token } = await desk.createToken(wanted, { signal })
    if (terminal.interactive) terminal.err('Copy this token now: it is not stored and never shown again.\n')
    const { id, name, scopes, accountId, expiresAt } = token
    return { text, json: { token: text, id, name, scopes, account: accountId, expires_at: isoTime(expiresAt) } }
  },
}

function parseScopes(text: string): readonly Scope[] {
  const words = text.split(',').map((word) => word.trim())
  const unknown = words.filter((word) => !everyScope.some((scope) => scope === word))
  if (unknown.length === 0) return everyScope.filter((scope) => words.includes(scope))
  throw new UsageError([{ where: '--scopes', message: `there is no scope ${unknown.join(', ')}; choose from ${everyScope.join(', ')}.` }])
}

function parseLifetime(text: string | undefined): number | null {
  if (text === undefined) return null
  const lifetimeMs = parseDuration(text)
  if (lifetimeMs !== undefined && lifetimeMs > 0) return lifetimeMs
  throw new UsageError([{ where: '--expires', message: `expected a duration such as 12h or 30d, got ${JSON.stringify(text)}.` }])
}

export const listTokens: Command = {
  words: ['token', 'list'],
  summary: 'List access tokens; their text is not stored.',
  flags: [{ name: 'account', form: '<id>', help: 'Only the tokens of this account.' }],
  settings: ['data', 'database-url', 'database-url-file'],
  run: async ({ backend, config, flags, signal }) => {
    await using desk = await backend.openAccountDesk(config, { signal })
    const account = flags.get('account')
    const tokens = account === undefined ? await listAllTokens(desk, { signal }) : await desk.listTokens(account, { signal })
    return {
      text: textTable(['ID', 'NAME', 'TOKEN', 'SCOPES', 'CREATED', 'LAST USED', 'STATE'], tokens.map(tokenRow)) || 'There are no tokens.',
      json: { tokens: tokens.map(tokenObject) },
    }
  },
}

function tokenRow(token: AccessToken): readonly string[] {
  const { id, name, hint, scopes, createdAt, lastUsedAt } = token
  return [id, name, `…${hint}`, scopes.join(','), isoTime(createdAt) ?? '', isoTime(lastUsedAt) ?? 'never', stateOf(token)]
}

function stateOf({ revokedAt, expiresAt }: AccessToken): string {
  if (revokedAt !== null) return `revoked ${isoTime(revokedAt)}`
  return expiresAt === null ? 'valid' : `valid until ${isoTime(expiresAt)}`
}

function tokenObject(token: AccessToken): Readonly<Record<string, unknown>> {
  return {
    id: token.id,
    name: token.name,
    hint: token.hint,
    account: token.accountId,
    scopes: token.scopes,
    created_at: isoTime(token.createdAt),
    expires_at: isoTime(token.expiresAt),
    revoked_at: isoTime(token.revokedAt),
    last_used_at: isoTime(token.lastUsedAt),
    limits: limitFields(token.limits),
  }
}

/** Sets limits of a token, or shows them without flags. */
export const limitToken: Command = limitCommand({
  words: ['token', 'limit'],
  summary: 'Set or lift the limits of one access token; without flags, show them.',
  argument: { name: '<id>', help: 'The id that sepia token list shows.' },
  flags: useLimitFlags,
  find: findToken,
  change: (desk, token, limits, options) => desk.limitToken(token, limits, options),
})

export const revokeToken: Command = {
  words: ['token', 'revoke'],
  summary: 'Revoke an access token; a running service rejects it within five seconds and ends its open requests.',
  argument: { name: '<id>', help: 'The id that sepia token list shows.' },
  flags: [yesFlag],
  settings: ['data', 'database-url', 'database-url-file'],
  run: async (context) => {
    const { argument, backend, config, signal } = context
    await using desk = await backend.openAccountDesk(config, { signal })
    const token = await findToken(desk, argument, { signal })
    await confirm(context, { warning: `Programs that use the token "${token.name}" will be refused.`, unattended: 'proceed' })
    await desk.revokeToken(token, { signal })
    return { text: `Revoked "${printableLine(token.name)}".`, json: { revoked: token.id } }
  },
}

/** Tokens of all accounts, account by account. */
async function listAllTokens(desk: AccountDesk, options: Abortable): Promise<readonly AccessToken[]> {
  const accounts = await desk.listAccounts(options)
  return (await Promise.all(accounts.map(({ id }) => desk.listTokens(id, options)))).flat()
}

/** @throws {UsageError} if there is no token with this id, naming the command that lists them. */
async function findToken(desk: AccountDesk, id: string, options: Abortable): Promise<AccessToken> {
  const token = (await listAllTokens(desk, options)).find((candidate) => candidate.id === id)
  if (token === undefined) throw new UsageError([{ where: id, message: 'there is no token with this id; see sepia token list.' }])
  return token
}
