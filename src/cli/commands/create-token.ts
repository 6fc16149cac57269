import { parseDuration } from '../../config/duration.ts'
import { scopes as everyScope, type Scope } from '../../core/access-token.ts'
import type { Command } from '../command.ts'
import { isoTime } from '../iso-time.ts'
import { UsageError } from '../usage-error.ts'
import { allowNewDatabase } from './allow-new-database.ts'

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
