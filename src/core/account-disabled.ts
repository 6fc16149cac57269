import type { Account } from './account.ts'
import { ServiceError } from './error.ts'

/** Whether an account that was looked for is there and may use the service. */
export function isEnabled(account: Account | null): boolean {
  return account !== null && account.disabledAt === null
}

/** The error of whoever uses an account that is disabled. */
export function accountDisabled(): ServiceError {
  return new ServiceError('invalid_token', 'The account of this access token is disabled; ask an owner of the service.')
}
