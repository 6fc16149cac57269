import type { FastifyInstance } from 'fastify'
import type { Account } from '../../core/account.ts'
import { ServiceError } from '../../core/error.ts'
import type { AccountStore } from '../../core/ports/account-store.ts'
import type { Abortable } from '../../core/waiting.ts'
import { clientSignal } from '../../http/client-signal.ts'
import { listIdentities, unlinkIdentity } from '../../operations/access/linked-identities.ts'
import { listPasskeys } from '../../operations/access/passkeys.ts'
import { findSecondFactor } from '../../operations/access/second-factor.ts'
import type { ConsoleDependencies, SignInSettings } from '../console-dependencies.ts'
import type { OwnSignInWays } from '../contract/own-sign-in-ways.ts'
import { recordAudit } from '../record-audit.ts'
import { passkeySite } from '../sign-in/passkeys/passkey-site.ts'
import { isSecondFactorRequired } from '../sign-in/second-factor-gate.ts'
import { personOf } from '../sign-in/signed-in.ts'

type Dependencies = Pick<ConsoleDependencies, 'accounts' | 'addresses' | 'audit' | 'clock' | 'documents'> & {
  readonly signIn: SignInSettings
}

/** /console/api/sign-in-ways and identities: the ways to sign in to the caller's account. */
export function registerOwnSignInWays(own: FastifyInstance, deps: Dependencies): void {
  own.get('/console/api/sign-in-ways', async (request, reply): Promise<OwnSignInWays> => {
    const options = { signal: clientSignal(reply) }
    const person = personOf(request)
    const identities = await listIdentities(deps, person.id, options)
    return {
      organisation: deps.signIn.openId?.label ?? null,
      password: await hasPassword(deps, person, options),
      passkeys: passkeySite(deps) === null ? null : await listPasskeys(deps, person.id, options),
      secondFactor: await findSecondFactor(deps, person.id, options),
      secondFactorRequired: isSecondFactorRequired(deps.signIn, person),
      identities: identities.map(({ id, issuer, email, linkedAt }) => ({ id, issuer, email, linkedAt })),
    }
  })

  own.delete<{ Params: { id: string } }>('/console/api/identities/:id', async (request, reply) => {
    const options = { signal: clientSignal(reply) }
    const person = personOf(request)
    const identities = await listIdentities(deps, person.id, options)
    const isLastWay = identities.length === 1 && !(deps.signIn.local && (await hasPassword(deps, person, options)))
    if (isLastWay)
      throw new ServiceError(
        'validation_error',
        'This is the only way into your account; ask an owner for a sign-in link to set a password first.',
      )
    if (!(await unlinkIdentity(deps, { id: request.params.id, accountId: person.id }, options)))
      throw new ServiceError('not_found', 'This sign-in is already unlinked.')
    await recordAudit(deps, request, 'identity-unlinked', { subject: person.id })
    return reply.code(204).send()
  })
}

async function hasPassword(
  { accounts }: { readonly accounts: AccountStore },
  { id, email }: Account,
  options: Abortable,
): Promise<boolean> {
  return email !== null && (await accounts.findByEmail(email, options))?.account.id === id
}
