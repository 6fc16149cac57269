import type { FastifyInstance, FastifyRequest } from 'fastify'
import { scopes } from '../../core/access-token.ts'
import { ServiceError } from '../../core/error.ts'
import { type ListedModel, listModels } from '../../operations/list-models.ts'
import { callerOf, requireScope } from '../caller.ts'
import type { HttpDependencies } from '../http-dependencies.ts'
import { shortName } from '../wire/faults/short-name.ts'
import { encodeModel } from '../wire/model.ts'

/** GET /v1/models, /models for clients that were given an address without /v1, and GET /v1/models/<id>, whose id may hold slashes. */
export function registerListModels(api: FastifyInstance, deps: HttpDependencies): void {
  const modelsOf = (incoming: FastifyRequest): readonly ListedModel[] => {
    const caller = callerOf(incoming)
    requireScope(caller, scopes)
    return listModels({ pool: deps.pool, catalog: deps.assets.library.catalogFor(caller.accountId) })
  }
  for (const path of ['/v1/models', '/models'])
    api.get(path, async (incoming) => ({ object: 'list', data: modelsOf(incoming).map(encodeModel) }))
  api.get('/v1/models/*', async (incoming: FastifyRequest<{ Params: { '*': string } }>) => {
    const id = incoming.params['*']
    const models = modelsOf(incoming)
    const model = models.find(({ descriptor }) => descriptor.id === id)
    if (model !== undefined) return encodeModel(model)
    const names = models.map(({ descriptor }) => descriptor.id).join(', ')
    throw new ServiceError('model_not_found', `There is no model named ${JSON.stringify(shortName(id))}; the models are: ${names}.`, {
      param: 'model',
    })
  })
}
