/**
 * The body of POST /console/api/second-factor (set up), /second-factor/removal and /second-factor/recovery-codes: the password as
 * confirmation.
 */
export interface PasswordShown {
  readonly password: string
}

/** The answer to setting up: the data for an authenticator app. */
export interface SecondFactorBegun {
  /** In base32. */
  readonly secret: string
  /** The content of its QR code. */
  readonly address: string
}

/** POST /console/api/second-factor/confirmation. */
export interface SecondFactorCode {
  readonly code: string
}

/** The answer to confirming, and to new codes, which are not stored in readable form. */
export interface RecoveryCodes {
  readonly recoveryCodes: readonly string[]
}
