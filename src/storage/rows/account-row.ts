import type { Account, Invitation, Role, Session } from '../../core/account.ts'
import type { BudgetLimits } from '../../core/budget.ts'
import { type Row, readInteger, readIntegerOrNull, readOneOf, readText, readTextOrNull } from './row.ts'

/** Which column keeps which limit. */
export const limitColumns = [
  ['requestsPerMinute', 'requests_per_minute'],
  ['tokensPerDay', 'tokens_per_day'],
  ['imagesPerDay', 'images_per_day'],
  ['tokensPerMonth', 'tokens_per_month'],
  ['imagesPerMonth', 'images_per_month'],
] as const

/** A row of `accounts`. */
export function readAccount(row: Row): Account {
  return {
    id: readText(row, 'id'),
    name: readText(row, 'name'),
    email: readTextOrNull(row, 'email'),
    role: readRole(row),
    createdAt: readInteger(row, 'created_at'),
    disabledAt: readIntegerOrNull(row, 'disabled_at'),
    limits: { requestsPerMinute: readIntegerOrNull(row, 'requests_per_minute'), ...readBudgetLimits(row) },
  }
}

/** The limits among an account's columns that are budgets. */
export function readBudgetLimits(row: Row): BudgetLimits {
  return {
    tokensPerDay: readIntegerOrNull(row, 'tokens_per_day'),
    imagesPerDay: readIntegerOrNull(row, 'images_per_day'),
    tokensPerMonth: readIntegerOrNull(row, 'tokens_per_month'),
    imagesPerMonth: readIntegerOrNull(row, 'images_per_month'),
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
  }
}

/** A row of `invitations`. */
export function readInvitation(row: Row): Invitation {
  return {
    hash: readText(row, 'hash'),
    role: readRole(row),
    accountId: readTextOrNull(row, 'account_id'),
    invitedBy: readTextOrNull(row, 'invited_by'),
    createdAt: readInteger(row, 'created_at'),
    expiresAt: readInteger(row, 'expires_at'),
  }
}

function readRole(row: Row): Role {
  return readOneOf(row, 'role', ['owner', 'member'])
}
