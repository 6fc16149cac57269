import type { AccessToken } from '../../core/access-token.ts'
import type { Command } from '../command.ts'
import { listAllTokens } from '../find-token.ts'
import { isoTime } from '../iso-time.ts'
import { limitFields } from '../limit-flags.ts'
import { textTable } from '../text-table.ts'

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
      text: textTable(['ID', 'NAME', 'ENDS IN', 'SCOPES', 'CREATED', 'LAST USED', 'STATE'], tokens.map(tokenRow)) || 'There are no tokens.',
      json: { tokens: tokens.map(tokenObject) },
    }
  },
}

function tokenRow(token: AccessToken): readonly string[] {
  const { id, name, hint, scopes, createdAt, lastUsedAt } = token
  return [id, name, hint, scopes.join(','), isoTime(createdAt) ?? '', isoTime(lastUsedAt) ?? 'never', stateOf(token)]
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
