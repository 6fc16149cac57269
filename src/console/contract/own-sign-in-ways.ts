import type { LinkedIdentity } from '../../operations/access/linked-identities.ts'
import type { ShownPasskey } from '../../operations/access/passkeys.ts'
import type { SecondFactor } from '../../operations/access/second-factor.ts'

/** GET /console/api/sign-in-ways: the ways to sign in to the caller's account. DELETE /console/api/identities/:id unlinks one. */
export interface OwnSignInWays {
  readonly password: boolean
  /** The name of the organisation's sign-in; null = there is none. */
  readonly organisation: string | null
  /** null = passkeys are unavailable at this address. */
  readonly passkeys: readonly ShownPasskey[] | null
  /** null = none. */
  readonly secondFactor: SecondFactor | null
  /** Whether the service requires one for this account. */
  readonly secondFactorRequired: boolean
  /** Oldest first. */
  readonly identities: readonly Pick<LinkedIdentity, 'id' | 'issuer' | 'email' | 'linkedAt'>[]
}
