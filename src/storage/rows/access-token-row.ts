import { type AccessToken, scopes } from '../../core/access-token.ts'
import { readLimits } from './limit-columns.ts'
import { type Row, readInteger, readIntegerOrNull, readText } from './row.ts'

/** A row of `access_tokens`. */
export function readToken(row: Row): AccessToken {
  const granted = readText(row, 'scopes').split(' ')
  return {
    id: readText(row, 'id'),
    accountId: readText(row, 'account_id'),
    name: readText(row, 'name'),
    hash: readText(row, 'hash'),
    hint: readText(row, 'hint'),
    scopes: scopes.filter((scope) => granted.includes(scope)),
    createdAt: readInteger(row, 'created_at'),
    expiresAt: readIntegerOrNull(row, 'expires_at'),
    revokedAt: readIntegerOrNull(row, 'revoked_at'),
    lastUsedAt: readIntegerOrNull(row, 'last_used_at'),
    limits: readLimits(row),
  }
}
