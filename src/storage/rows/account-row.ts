import { type AccessToken, scopes } from '../../core/access-token.ts'
import type { Account, Invitation, Role, Session } from '../../core/account.ts'
import { limitNames, useLimitNames } from '../../core/limits/use-limits.ts'
import { readAccountLimits, readLimits } from './limit-columns.ts'
import { columnsOf, type Row, readInteger, readIntegerOrNull, readOneOf, readText, readTextOrNull } from './row.ts'

/** Columns for creating accounts. */
export const accountColumns = columnsOf(['id', 'name', 'email', 'emailKey', 'role', 'createdAt', 'disabledAt', ...limitNames])

/** A row of `accounts`. */
export function readAccount(row: Row): Account {
  return {
    id: readText(row, 'id'),
    name: readText(row, 'name'),
    email: readTextOrNull(row, 'email'),
    role: readRole(row),
    createdAt: readInteger(row, 'created_at'),
    disabledAt: readIntegerOrNull(row, 'disabled_at'),
    limits: readAccountLimits(row),
  }
}

/** Columns of `sessions`. */
export const sessionColumns = columnsOf(['hash', 'accountId', 'address', 'agent', 'createdAt', 'expiresAt', 'lastUsedAt'])

/** A row of `sessions`. */
export function readSession(row: Row): Session {
  return {
    hash: readText(row, 'hash'),
    accountId: readText(row, 'account_id'),
    address: readTextOrNull(row, 'address'),
    agent: readTextOrNull(row, 'agent'),
    createdAt: readInteger(row, 'created_at'),
    expiresAt: readInteger(row, 'expires_at'),
    lastUsedAt: readIntegerOrNull(row, 'last_used_at'),
  }
}

/** Columns of `invitations`. */
export const invitationColumns = columnsOf(['hash', 'role', 'accountId', 'invitedBy', 'note', 'createdAt', 'expiresAt'])

/** A row of `invitations`. */
export function readInvitation(row: Row): Invitation {
  return {
    hash: readText(row, 'hash'),
    role: readRole(row),
    accountId: readTextOrNull(row, 'account_id'),
    invitedBy: readTextOrNull(row, 'invited_by'),
    note: readTextOrNull(row, 'note'),
    createdAt: readInteger(row, 'created_at'),
    expiresAt: readInteger(row, 'expires_at'),
  }
}

function readRole(row: Row): Role {
  return readOneOf(row, 'role', ['owner', 'member'])
}

/** Columns of `access_tokens`. */
export const tokenColumns = columnsOf([
  ...['id', 'accountId', 'name', 'hash', 'hint', 'scopes', 'createdAt', 'expiresAt', 'revokedAt', 'lastUsedAt'],
  ...useLimitNames,
])

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
