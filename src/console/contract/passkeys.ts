import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server'

/** The answer to POST /console/api/passkeys/options, whose body shows the password. */
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

/** POST /console/api/session/passkey: everything in base64url, as the browser has it. */
export interface PasskeyProof {
  readonly id: string
  readonly clientDataJSON: string
  readonly authenticatorData: string
  readonly signature: string
  /** Left out = the authenticator names nobody. */
  readonly userHandle?: string
}
