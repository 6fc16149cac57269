import { type AccessToken, scopes } from '../../core/access-token.ts'
import type { Account, Invitation, Role, Session } from '../../core/account.ts'
import { readAccountLimits, readLimits } from './limit-columns.ts'
import { type Row, readInteger, readIntegerOrNull, readOneOf, readText, readTextOrNull } from './row.ts'

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
