import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { ServiceError } from '../../core/error.ts'
import { clientSignal } from '../../http/client-signal.ts'
import { changeAccount } from '../../operations/access/accounts.ts'
import { deleteAccount, listDeletedAccounts } from '../../operations/access/deleted-accounts.ts'
import { invite } from '../../operations/access/invitations.ts'
import { listSecondFactors } from '../../operations/access/second-factor.ts'
import { listBodyLogs } from '../../operations/bodies/body-log.ts'
import type { ConsoleDependencies } from '../console-dependencies.ts'
import type { AccountDeletion, AccountUpdate, InvitationMade, NewInvitation, People } from '../contract/people.ts'
import { accountLimitsField } from '../limits-field.ts'
import { type BodyReader, createBodyReader } from '../read-console-input.ts'
import { recordAudit } from '../record-audit.ts'
import { nameField } from '../sign-in/sign-in-fields.ts'
import { ownerOf } from '../sign-in/signed-in.ts'

const role = Type.Enum(['owner', 'member'])
const readChange: BodyReader<AccountUpdate> = createBodyReader({
  role: Type.Optional(role),
  disabled: Type.Optional(Type.Boolean()),
  limits: Type.Optional(accountLimitsField),
})
const readDeletion: BodyReader<AccountDeletion> = createBodyReader({ name: Type.String({ maxLength: 200 }) })
const readInvitation: BodyReader<NewInvitation> = createBodyReader({
  role,
  accountId: Type.Optional(Type.String({ maxLength: 100 })),
  note: Type.Optional(nameField),
})

/** /console/api/people, accounts and invitations: for owners. */
export function registerPeople(own: FastifyInstance, deps: Pick<ConsoleDependencies, 'accounts' | 'audit' | 'clock' | 'documents'>): void {
  const { accounts, clock } = deps

  own.get('/console/api/people', async (request, reply): Promise<People> => {
    ownerOf(request)
    const options = { signal: clientSignal(reply) }
    const invitations = await accounts.listInvitations(options)
    const deleted = await listDeletedAccounts(deps, options)
    return {
      accounts: (await accounts.list(options)).filter(({ id }) => !deleted.has(id)),
      secondFactors: await listSecondFactors(deps, options),
      logged: (await listBodyLogs(deps, options)).map(({ accountId }) => accountId),
      invitations: invitations.filter(({ expiresAt }) => expiresAt > clock.now()),
    }
  })

  own.patch<{ Params: { id: string } }>('/console/api/accounts/:id', async (request, reply) => {
    const owner = ownerOf(request)
    const { role, disabled, limits } = readChange(request)
    const wanted = { accountId: request.params.id, by: owner.id, role, disabled, limits }
    const detail = JSON.stringify({ role, disabled, limits })
    if (await changeAccount(deps, wanted, { signal: clientSignal(reply) }))
      await recordAudit(deps, request, 'account-changed', { subject: wanted.accountId, detail })
    return reply.code(204).send()
  })

  own.post<{ Params: { id: string } }>('/console/api/accounts/:id/deletion', async (request, reply) => {
    const owner = ownerOf(request)
    const { name } = readDeletion(request)
    const accountId = request.params.id
    await deleteAccount(deps, { accountId, by: owner.id, name }, { signal: clientSignal(reply) })
    await recordAudit(deps, request, 'account-deleted', { subject: accountId })
    return reply.code(202).send()
  })

  own.post('/console/api/invitations', async (request, reply) => {
    const owner = ownerOf(request)
    const { role, accountId = null, note = null } = readInvitation(request)
    const options = { signal: clientSignal(reply) }
    const code = await invite(deps, { role, accountId, invitedBy: owner.id, note }, options)
    await recordAudit(deps, request, 'invitation-made', { subject: accountId, detail: role })
    return reply.code(201).send({ code } satisfies InvitationMade)
  })

  own.delete<{ Params: { hash: string } }>('/console/api/invitations/:hash', async (request, reply) => {
    ownerOf(request)
    if (!(await accounts.takeInvitation(request.params.hash, { signal: clientSignal(reply) })))
      throw new ServiceError('not_found', 'This invitation was already used or withdrawn.')
    await recordAudit(deps, request, 'invitation-withdrawn', { subject: request.params.hash })
    return reply.code(204).send()
  })
}
