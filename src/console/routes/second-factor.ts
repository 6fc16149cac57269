import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../../core/error.ts'
import { clientSignal } from '../../http/client-signal.ts'
import { beginSecondFactor, confirmSecondFactor, removeSecondFactor, renewRecoveryCodes } from '../../operations/access/second-factor.ts'
import type { ConsoleDependencies } from '../console-dependencies.ts'
import type { PasswordShown, RecoveryCodes, SecondFactorBegun, SecondFactorCode } from '../contract/second-factor.ts'
import { type BodyReader, createBodyReader } from '../read-console-input.ts'
import { recordAudit } from '../record-audit.ts'
import { authenticatorAddress } from '../sign-in/authenticator-address.ts'
import { confirmPassword } from '../sign-in/confirm-password.ts'
import { isSecondFactorRequired } from '../sign-in/second-factor-gate.ts'
import { codeField, passwordField } from '../sign-in/sign-in-fields.ts'
import { ownerOf, personOf } from '../sign-in/signed-in.ts'
import { ownSecondFactorKeys } from '../sign-in/throttle-keys.ts'
import type { SessionRouteDependencies } from './session.ts'

const readPassword: BodyReader<PasswordShown> = createBodyReader({ password: passwordField })

const readCode: BodyReader<SecondFactorCode> = createBodyReader({ code: codeField })

/** /console/api/second-factor: the caller's second factor. Owners can remove another account's if it was lost. */
export function registerSecondFactor(own: FastifyInstance, deps: SessionRouteDependencies & Pick<ConsoleDependencies, 'documents'>): void {
  const { throttle, signIn } = deps

  own.post('/console/api/second-factor', async (request, reply): Promise<SecondFactorBegun> => {
    const { person, options } = await confirmPassword(deps, request, {
      password: readPassword(request).password,
      signal: clientSignal(reply),
    })
    const secret = await beginSecondFactor(deps, person.id, options)
    return { secret, address: authenticatorAddress(person, secret) }
  })

  own.post('/console/api/second-factor/confirmation', async (request, reply): Promise<RecoveryCodes> => {
    const { code } = readCode(request)
    const accountId = personOf(request).id
    const attempt = throttle.begin(ownSecondFactorKeys(accountId))
    const recoveryCodes = await confirmSecondFactor(deps, { accountId, code }, { signal: clientSignal(reply) })
    if (recoveryCodes === null)
      throw new ServiceError('validation_error', 'This code is wrong; use the one that the app shows now.', { param: 'code' })
    attempt.succeeded()
    await recordAudit(deps, request, 'second-factor-set', { subject: accountId })
    return { recoveryCodes }
  })

  own.post('/console/api/second-factor/recovery-codes', async (request, reply): Promise<RecoveryCodes> => {
    const { person, options } = await confirmPassword(deps, request, {
      password: readPassword(request).password,
      signal: clientSignal(reply),
    })
    const recoveryCodes = await renewRecoveryCodes(deps, person.id, options)
    await recordAudit(deps, request, 'recovery-codes-renewed', { subject: person.id })
    return { recoveryCodes }
  })

  own.post('/console/api/second-factor/removal', async (request, reply) => {
    const { person, options } = await confirmPassword(deps, request, {
      password: readPassword(request).password,
      signal: clientSignal(reply),
    })
    if (isSecondFactorRequired(signIn, person))
      throw new ServiceError(
        'insufficient_scope',
        'This service requires a second factor; to set a new one, ask an owner to remove this one.',
      )
    if (!(await removeSecondFactor(deps, person.id, options))) throw new ServiceError('not_found', 'There is no second factor to remove.')
    await recordAudit(deps, request, 'second-factor-removed', { subject: person.id })
    return reply.code(204).send()
  })

  own.delete<{ Params: { id: string } }>('/console/api/accounts/:id/second-factor', async (request, reply) => {
    const owner = ownerOf(request)
    const { id } = request.params
    if (id === owner.id) throw new ServiceError('validation_error', 'Remove your own second factor under Account, with your password.')
    if (!(await removeSecondFactor(deps, id, { signal: clientSignal(reply) })))
      throw new ServiceError('not_found', 'This account has no second factor.')
    await recordAudit(deps, request, 'second-factor-removed', { subject: id })
    return reply.code(204).send()
  })
}
