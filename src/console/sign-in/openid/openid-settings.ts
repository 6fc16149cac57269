import type { AdmissionRules } from '../../../operations/access/admit-identity.ts'

/** The provider, and the rules for who may sign in. */
export interface OpenIdSettings {
  readonly issuer: string
  readonly clientId: string
  /** null = a public client. */
  readonly clientSecret: string | null
  /** Separated by spaces. */
  readonly scopes: string
  /** The provider's name in the label "Continue with …". */
  readonly label: string
  readonly groupsClaim: string
  readonly rules: AdmissionRules
  /** How requests are sent; absent = directly. */
  readonly fetch?: typeof fetch
}
