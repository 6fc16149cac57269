import type { FastifyInstance } from 'fastify'
import { type Caller, scopes } from '../../core/access-token.ts'
import { ServiceError } from '../../core/error.ts'
import { unstoppable } from '../../core/waiting.ts'
import { listModels } from '../../operations/list-models.ts'
import { synchronousBody } from '../body/read-body.ts'
import { callerOf } from '../caller.ts'
import { clientSignal } from '../client-signal.ts'
import type { HttpDependencies } from '../http-dependencies.ts'
import { encodeModel } from '../wire/service/model.ts'
import { parseModelChoice } from '../wire/service/model-choice.ts'

/** POST /models/load and /models/unload, for owners; both answer with the model as it then is. */
export function registerLoadModel(api: FastifyInstance, deps: HttpDependencies): void {
  for (const verb of ['load', 'unload'] as const)
    api.post(`/models/${verb}`, async (incoming, reply) => {
      const caller = callerOf(incoming)
      const options = { signal: clientSignal(reply) }
      await requireOwner(deps, caller, options)
      const model = parseModelChoice(synchronousBody(incoming).value)
      await deps.pool[verb](model, options)
      const { accountId } = caller
      const entry = {
        at: deps.clock.now(),
        action: `model-${verb}ed`,
        accountId,
        address: incoming.ip,
        subject: model,
        detail: null,
      } as const
      // It has been done by now, whether or not the client is still there.
      await deps.audit.append(entry, unstoppable)
      const listed = listModels(deps).find(({ descriptor }) => descriptor.id === model)
      if (listed === undefined) throw new ServiceError('model_not_found', 'The model was removed in the meantime; see /v1/models.')
      return encodeModel(listed)
    })
}

/** @throws {ServiceError} `insufficient_scope` for whoever is no owner, and for tokens that may not do everything an account can. */
async function requireOwner(
  { accounts }: Pick<HttpDependencies, 'accounts'>,
  caller: Caller,
  options: { readonly signal: AbortSignal },
): Promise<void> {
  if (!scopes.every((scope) => caller.scopes.includes(scope)))
    throw new ServiceError('insufficient_scope', `Use an access token with every scope: ${scopes.join(', ')}.`)
  const account = await accounts.find(caller.accountId, options)
  if (account?.role !== 'owner') throw new ServiceError('insufficient_scope', 'Only owners can do this; ask an owner of the service.')
}
