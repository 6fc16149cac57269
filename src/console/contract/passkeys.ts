import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server'

/** The answer to POST /console/api/passkeys/options, whose body contains the password. */
export interface PasskeyCreation {
  readonly options: PublicKeyCredentialCreationOptionsJSON
}

/** POST /console/api/passkeys. */
export interface NewPasskey {
  readonly name: string
  readonly credential: {
    readonly id: string
    readonly clientDataJSON: string
    readonly attestationObject: string
  }
}

/** The answer to POST /console/api/session/passkey/options. */
export interface PasskeyRequest {
  readonly options: PublicKeyCredentialRequestOptionsJSON
}

/** POST /console/api/session/passkey: all fields in base64url, as browsers return them. */
export interface PasskeyProof {
  readonly id: string
  readonly clientDataJSON: string
  readonly authenticatorData: string
  readonly signature: string
  /** Absent = the authenticator names no user. */
  readonly userHandle?: string
}
