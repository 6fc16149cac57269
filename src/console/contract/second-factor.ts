/** POST /console/api/second-factor (begins one), /second-factor/removal and /second-factor/recovery-codes: to be sure that it is you. */
export interface PasswordShown {
  readonly password: string
}

/** The answer to beginning: what an app is given. */
export interface SecondFactorBegun {
  /** In base32. */
  readonly secret: string
  /** What its QR code says. */
  readonly address: string
}

/** POST /console/api/second-factor/confirmation. */
export interface SecondFactorCode {
  readonly code: string
}

/** The answer to confirming, and to asking for new ones; they are kept nowhere else. */
export interface RecoveryCodes {
  readonly recoveryCodes: readonly string[]
}
