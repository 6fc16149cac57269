import { ServiceError } from './error.ts'

/** The error of whoever uses an account that is disabled. */
export function accountDisabled(): ServiceError {
  return new ServiceError('invalid_token', 'The account of this access token is disabled; ask an owner of the service.')
}
