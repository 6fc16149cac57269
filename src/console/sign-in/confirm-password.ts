import type { FastifyRequest } from 'fastify'
import type { Account } from '../../core/account.ts'
import { ServiceError } from '../../core/error.ts'
import type { AccountStore } from '../../core/ports/account-store.ts'
import type { Abortable } from '../../core/waiting.ts'
import type { PasswordHasher } from './password-hasher.ts'
import type { SignInThrottle } from './sign-in-throttle.ts'
import { personOf } from './signed-in.ts'
import { ownPasswordKeys } from './throttle-keys.ts'

interface ProofDependencies {
  readonly accounts: AccountStore
  readonly passwords: PasswordHasher
  readonly throttle: SignInThrottle
}

/**
 * Confirms the signed-in account by its password. Ways to sign in cannot be changed with a session alone, because anyone at the browser has
 * that.
 *
 * @throws {ServiceError} `validation_error` for a wrong password, `rate_limit_exceeded` after too many.
 */
export async function confirmPassword(
  { accounts, passwords, throttle }: ProofDependencies,
  request: FastifyRequest,
  { password, signal }: { readonly password: string; readonly signal: AbortSignal },
): Promise<{ readonly person: Account; readonly options: Abortable }> {
  const person = personOf(request)
  const options = { signal }
  const attempt = throttle.begin(ownPasswordKeys(person.id))
  const known = person.email === null ? null : await accounts.findByEmail(person.email, options)
  if (!(await passwords.verify(password, known?.passwordHash ?? null)))
    throw new ServiceError('validation_error', 'The password is wrong.', { param: 'password' })
  attempt.succeeded()
  return { person, options }
}
