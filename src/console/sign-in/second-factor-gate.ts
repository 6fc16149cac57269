import type { Account } from '../../core/account.ts'
import { ServiceError } from '../../core/error.ts'
import type { Abortable } from '../../core/waiting.ts'
import {
  beginSecondFactor,
  confirmSecondFactor,
  findSecondFactor,
  type SecondFactorDependencies,
  useSecondFactor,
} from '../../operations/access/second-factor.ts'
import type { SignInSettings } from '../console-dependencies.ts'
import type { SecondFactorRequired } from '../contract/session.ts'
import { authenticatorAddress } from './authenticator-address.ts'
import type { SignInThrottle } from './sign-in-throttle.ts'
import { secondFactorKeys } from './throttle-keys.ts'

export interface GateDependencies extends SecondFactorDependencies {
  readonly throttle: SignInThrottle
  readonly signIn: Pick<SignInSettings, 'secondFactor'>
}

/** The origin of a code: an address, and the browser's id if the account knows it. */
export interface GuessOrigin {
  readonly address: string
  readonly browser: string | null
}

/** The result of passing the second factor. */
export interface GatePassed {
  readonly by: 'nothing' | 'code' | 'recovery' | 'enrolment'
  /** Codes of a factor that was set up just now. */
  readonly recoveryCodes?: readonly string[]
}

/** Whether the settings require a second factor for this role. */
export function isSecondFactorRequired({ secondFactor }: Pick<SignInSettings, 'secondFactor'>, { role }: Pick<Account, 'role'>): boolean {
  return secondFactor === 'everybody' || (secondFactor === 'owners' && role === 'owner')
}

/** What to require after a correct password, before there is a code; null = nothing. */
export async function askSecondFactor(
  deps: GateDependencies,
  account: Account,
  options: Abortable,
): Promise<SecondFactorRequired['asks'] | null> {
  if ((await findSecondFactor(deps, account.id, options)) !== null) return 'code'
  return isSecondFactorRequired(deps.signIn, account) ? 'enrolment' : null
}

/**
 * Admits a user after a correct password, or returns what is missing: a code, or a second factor that the settings require.
 *
 * @throws {ServiceError} `invalid_token` for a wrong or used code, `rate_limit_exceeded` after too many.
 */
export async function passSecondFactor(
  deps: GateDependencies,
  { account, code, from }: { readonly account: Account; readonly code: string | undefined; readonly from: GuessOrigin },
  options: Abortable,
): Promise<GatePassed | SecondFactorRequired> {
  const asks = await askSecondFactor(deps, account, options)
  if (asks === null) return { by: 'nothing' }
  if (code === undefined && asks === 'code') return { account: null, asks }
  if (code === undefined) {
    const secret = await beginSecondFactor(deps, account.id, options)
    return { account: null, asks: 'enrolment', secret, address: authenticatorAddress(account, secret) }
  }
  const attempt = deps.throttle.begin(secondFactorKeys(account.id, from))
  const passed = await tryCode(deps, { accountId: account.id, code, asks }, options)
  attempt.succeeded()
  return passed
}

async function tryCode(
  deps: GateDependencies,
  { accountId, code, asks }: { readonly accountId: string; readonly code: string; readonly asks: SecondFactorRequired['asks'] },
  options: Abortable,
): Promise<GatePassed> {
  if (asks === 'enrolment') {
    const recoveryCodes = await confirmSecondFactor(deps, { accountId, code }, options)
    if (recoveryCodes !== null) return { by: 'enrolment', recoveryCodes }
  } else {
    const by = await useSecondFactor(deps, { accountId, code }, options)
    if (by !== null) return { by }
  }
  throw new ServiceError('invalid_token', 'This code is wrong or was already used; use the one that the app shows now.', { param: 'code' })
}
