import type { AdmissionRules } from '../../../operations/access/admit-identity.ts'

/** The provider that people may sign in with, and whom of its people to let in. */
export interface OpenIdSettings {
  readonly issuer: string
  readonly clientId: string
  /** null = a public client. */
  readonly clientSecret: string | null
  /** Separated by spaces. */
  readonly scopes: string
  /** What the button says behind "Continue with". */
  readonly label: string
  readonly groupsClaim: string
  readonly rules: AdmissionRules
  /** How it is asked; absent = directly. */
  readonly fetch?: typeof fetch
}
