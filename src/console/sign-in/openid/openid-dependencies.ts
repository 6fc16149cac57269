import type { ConsoleDependencies, SignInSettings } from '../../console-dependencies.ts'
import type { SignInThrottle } from '../sign-in-throttle.ts'
import type { OpenIdProvider } from './openid-provider.ts'
import type { OpenIdSettings } from './openid-settings.ts'

/** What signing in with the organisation needs. */
export type OpenIdDependencies = Pick<
  ConsoleDependencies,
  'accounts' | 'audit' | 'clock' | 'documents' | 'addresses' | 'onSignInRefused' | 'onFault'
> & {
  readonly throttle: SignInThrottle
  readonly signIn: SignInSettings
  readonly openId: OpenIdSettings & { readonly provider: OpenIdProvider }
}

/** Where the provider sends browsers back to, below the public address. */
export const callbackPath = '/console/sign-in/callback'
/** The cookie that holds a sign-in that was begun. */
export const flowCookie = 'sepia_openid'
