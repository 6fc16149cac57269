import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import type { Account } from '../../core/account.ts'
import { ServiceError } from '../../core/error.ts'
import { clientSignal } from '../../http/client-signal.ts'
import { findPasskey, type Passkey, usePasskey } from '../../operations/access/passkeys.ts'
import type { PasskeyProof, PasskeyRequest } from '../contract/passkeys.ts'
import type { SignedIn } from '../contract/session.ts'
import { type BodyReader, createBodyReader } from '../read-console-input.ts'
import { recordAudit } from '../record-audit.ts'
import { browserOf } from '../sign-in/known-browser.ts'
import { readChallenge, spendChallenge, writeChallenge } from '../sign-in/passkeys/passkey-challenge.ts'
import type { PasskeySite } from '../sign-in/passkeys/passkey-site.ts'
import { openSession, writeSessionCookie } from '../sign-in/session.ts'
import { passkeyKeys } from '../sign-in/throttle-keys.ts'
import { requireSite } from './passkeys.ts'
import type { SessionRouteDependencies } from './session.ts'

const base64url = (most: number) => Type.String({ pattern: `^[\\w-]{1,${most}}$` })
const readProof: BodyReader<PasskeyProof> = createBodyReader({
  id: base64url(1400),
  clientDataJSON: base64url(4000),
  authenticatorData: base64url(4000),
  signature: base64url(4000),
  userHandle: Type.Optional(base64url(200)),
})

type Dependencies = Omit<SessionRouteDependencies, 'passwords'>

/** /console/api/session/passkey: sign-in with a passkey, which counts as two factors: the key, and the user verification. */
export function registerPasskeySignIn(api: FastifyInstance, deps: Dependencies): void {
  const { accounts, addresses, throttle, signIn, onSignInRefused } = deps

  api.post('/console/api/session/passkey/options', async (_request, reply): Promise<PasskeyRequest> => {
    const { rpID } = requireSite(deps)
    const { generateAuthenticationOptions } = await import('@simplewebauthn/server')
    const options = await generateAuthenticationOptions({ rpID, userVerification: 'required', allowCredentials: [] })
    await writeChallenge(deps, reply, { challenge: options.challenge, use: 'sign-in' }, { signal: clientSignal(reply) })
    return { options }
  })

  api.post('/console/api/session/passkey', async (request, reply): Promise<SignedIn> => {
    const site = requireSite(deps)
    const proof = readProof(request)
    const options = { signal: clientSignal(reply) }
    const challenge = await readChallenge(deps, request, 'sign-in', options)
    const attempt = throttle.begin(passkeyKeys(request.ip))
    const passkey = await findPasskey(deps, proof.id, options)
    const account = passkey && (await accounts.find(passkey.accountId, options))
    const counter = passkey && account && isOwn(proof, account) ? await checkProof(proof, { passkey, challenge, site }) : null
    if (passkey === null || account === null || counter === null || account.disabledAt !== null) {
      onSignInRefused({ address: request.ip })
      throw new ServiceError('invalid_token', 'This passkey is unknown here; sign in with your password, or ask an owner for a link.')
    }
    await spendChallenge(deps, { challenge, accountId: account.id }, options)
    if (!(await usePasskey(deps, passkey, counter, options)))
      throw new ServiceError('validation_error', 'This passkey was used elsewhere at the same time; start again.')
    attempt.succeeded()
    const opened = { accountId: account.id, lifetimeMs: signIn.sessionMs, ...browserOf(request) }
    const session = await openSession(deps, opened, options)
    reply.header('set-cookie', writeSessionCookie(session, { publicUrl: addresses().publicUrl, maxAgeMs: signIn.sessionMs }))
    await recordAudit(deps, request, 'signed-in', { accountId: account.id, detail: `with the passkey ${passkey.name}` })
    return { account }
  })
}

/** Whether the passkey's user is this account, if the authenticator names one. */
function isOwn({ userHandle }: PasskeyProof, { id }: Account): boolean {
  return userHandle === undefined || Buffer.from(userHandle, 'base64url').toString('utf8') === id
}

/** The passkey's new signature counter; null when the signature, challenge, origin or counter is invalid. */
async function checkProof(
  { id, userHandle: _, ...response }: PasskeyProof,
  { passkey, challenge, site }: { readonly passkey: Passkey; readonly challenge: string; readonly site: PasskeySite },
): Promise<number | null> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response },
      expectedChallenge: challenge,
      expectedOrigin: site.origin,
      expectedRPID: site.rpID,
      credential: { id: passkey.credentialId, publicKey: passkey.publicKey, counter: passkey.counter },
      requireUserVerification: true,
    })
    return verified ? authenticationInfo.newCounter : null
  } catch {
    return null
  }
}
