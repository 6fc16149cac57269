import type { NewPasskey, PasskeyCreation, PasskeyProof, PasskeyRequest } from '../../../contract/passkeys.ts'
import type { SignedIn } from '../../../contract/session.ts'
import { RequestFailure, request, send } from '../../interface/request.ts'
import { t } from '../../language/t.ts'

/**
 * Creates a passkey for the signed-in account.
 *
 * @throws {RequestFailure} when the password is wrong or the browser creates none.
 */
export async function createPasskey({ name, password }: { readonly name: string; readonly password: string }): Promise<void> {
  const { options } = await request<PasskeyCreation>('/console/api/passkeys/options', { method: 'POST', body: { password } })
  const { startRegistration } = await import('@simplewebauthn/browser')
  const { id, response } = await startRegistration({ optionsJSON: options }).catch(refuse)
  const { clientDataJSON, attestationObject } = response
  const body: NewPasskey = { name, credential: { id, clientDataJSON, attestationObject } }
  await send('/console/api/passkeys', { method: 'POST', body })
}

/**
 * Signs in with a passkey of the browser or a security key.
 *
 * @throws {RequestFailure} when there is none, or the service does not know it.
 */
export async function signInWithPasskey(): Promise<SignedIn> {
  const { options } = await request<PasskeyRequest>('/console/api/session/passkey/options', { method: 'POST', body: {} })
  const { startAuthentication } = await import('@simplewebauthn/browser')
  const { id, response } = await startAuthentication({ optionsJSON: options }).catch(refuse)
  const { clientDataJSON, authenticatorData, signature, userHandle } = response
  const body: PasskeyProof = { id, clientDataJSON, authenticatorData, signature, ...(userHandle !== undefined && { userHandle }) }
  return request<SignedIn>('/console/api/session/passkey', { method: 'POST', body })
}

/** Browsers do not report whether the user declined, waited too long, or had no passkey. */
function refuse(): never {
  throw new RequestFailure(0, 'passkey_refused', t`The browser returned no passkey. Try again, or sign in another way.`)
}
