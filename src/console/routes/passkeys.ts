import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { ServiceError } from '../../core/error.ts'
import { clientSignal } from '../../http/client-signal.ts'
import { addPasskey, removePasskey } from '../../operations/access/passkeys.ts'
import type { NewPasskey, PasskeyCreation } from '../contract/passkeys.ts'
import type { PasswordShown } from '../contract/second-factor.ts'
import { type BodyReader, createBodyReader } from '../read-console-input.ts'
import { recordAudit } from '../record-audit.ts'
import { confirmPassword } from '../sign-in/confirm-password.ts'
import { readChallenge, spendChallenge, writeChallenge } from '../sign-in/passkeys/passkey-challenge.ts'
import { passkeySite } from '../sign-in/passkeys/passkey-site.ts'
import { nameField, passwordField } from '../sign-in/sign-in-fields.ts'
import { personOf } from '../sign-in/signed-in.ts'
import type { SessionRouteDependencies } from './session.ts'

const readPassword: BodyReader<PasswordShown> = createBodyReader({ password: passwordField })
const readPasskey: BodyReader<NewPasskey> = createBodyReader({
  name: nameField,
  credential: Type.Object(
    {
      id: Type.String({ pattern: '^[\\w-]{1,1400}$' }),
      clientDataJSON: Type.String({ pattern: '^[\\w-]{1,4000}$' }),
      attestationObject: Type.String({ pattern: '^[\\w-]{1,8000}$' }),
    },
    { additionalProperties: false },
  ),
})

/** /console/api/passkeys: creates and deletes the account's passkeys, which are listed among the ways to sign in. */
export function registerPasskeys(own: FastifyInstance, deps: SessionRouteDependencies): void {
  own.post('/console/api/passkeys/options', async (request, reply): Promise<PasskeyCreation> => {
    const { rpID } = requireSite(deps)
    const { password } = readPassword(request)
    const { person, options } = await confirmPassword(deps, request, { password, signal: clientSignal(reply) })
    const { generateRegistrationOptions } = await import('@simplewebauthn/server')
    const made = await generateRegistrationOptions({
      rpName: 'Sepia',
      rpID,
      userID: new TextEncoder().encode(person.id),
      userName: person.email ?? person.name,
      userDisplayName: person.name,
      attestationType: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    })
    await writeChallenge(deps, reply, { challenge: made.challenge, use: `register for ${person.id}` }, options)
    return { options: made }
  })

  own.post('/console/api/passkeys', async (request, reply) => {
    const { rpID, origin } = requireSite(deps)
    const { name, credential } = readPasskey(request)
    const options = { signal: clientSignal(reply) }
    const accountId = personOf(request).id
    const challenge = await readChallenge(deps, request, `register for ${accountId}`, options)
    const { id, clientDataJSON, attestationObject } = credential
    const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
    const checked = await verifyRegistrationResponse({
      response: { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response: { clientDataJSON, attestationObject } },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpID,
      requireUserVerification: true,
    }).catch((cause: unknown) => {
      throw new ServiceError('validation_error', 'This passkey was not accepted; start again.', { param: 'credential', cause })
    })
    if (!checked.verified)
      throw new ServiceError('validation_error', 'This passkey was not accepted; start again.', { param: 'credential' })
    await spendChallenge(deps, { challenge, accountId }, options)
    const { publicKey, counter, id: credentialId } = checked.registrationInfo.credential
    await addPasskey(deps, { accountId, name: name.trim(), credentialId, publicKey, counter }, options)
    await recordAudit(deps, request, 'passkey-added', { subject: accountId, detail: name.trim() })
    return reply.code(204).send()
  })

  own.delete<{ Params: { id: string } }>('/console/api/passkeys/:id', async (request, reply) => {
    const accountId = personOf(request).id
    if (!(await removePasskey(deps, { id: request.params.id, accountId }, { signal: clientSignal(reply) })))
      throw new ServiceError('not_found', 'This passkey is already removed.')
    await recordAudit(deps, request, 'passkey-removed', { subject: accountId })
    return reply.code(204).send()
  })
}

/** @throws {ServiceError} `unsupported` where browsers offer no passkeys. */
export function requireSite(deps: Parameters<typeof passkeySite>[0]): NonNullable<ReturnType<typeof passkeySite>> {
  const site = passkeySite(deps)
  if (site !== null) return site
  throw new ServiceError('unsupported', 'Passkeys need a host name with HTTPS, such as https://sepia.example in public-url.')
}
