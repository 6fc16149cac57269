import type { ConsoleDependencies, SignInSettings } from '../../console-dependencies.ts'
import type { SignInThrottle } from '../sign-in-throttle.ts'
import type { OpenIdProvider } from './openid-provider.ts'
import type { OpenIdSettings } from './openid-settings.ts'

/** Dependencies of sign-in with the organisation. */
export type OpenIdDependencies = Pick<
  ConsoleDependencies,
  'accounts' | 'audit' | 'clock' | 'documents' | 'addresses' | 'onSignInRefused' | 'onFault'
> & {
  readonly throttle: SignInThrottle
  readonly signIn: SignInSettings
  readonly openId: OpenIdSettings & { readonly provider: OpenIdProvider }
}

/** Path of the provider's redirect, below the public address. */
export const callbackPath = '/console/sign-in/callback'
/** The cookie with the data of a sign-in in progress. */
export const flowCookie = 'sepia_openid'
