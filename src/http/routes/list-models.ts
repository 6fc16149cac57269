import type { FastifyInstance, FastifyRequest } from 'fastify'
import { scopes } from '../../core/access-token.ts'
import { ServiceError } from '../../core/error.ts'
import { shortName } from '../../core/requests/short-name.ts'
import { type ListedModel, listModels } from '../../operations/list-models.ts'
import { isMessagesSurface } from '../answers/surface.ts'
import { callerOf, requireScope } from '../caller.ts'
import type { HttpDependencies } from '../http-dependencies.ts'
import { encodeMessageModel, encodeMessageModels } from '../wire/messages/message-models.ts'
import { encodeModel } from '../wire/service/model.ts'
import { encodePulls } from '../wire/service/model-pulls.ts'

/** What the models routes take of a query, which differs by whose client asks. */
/** Clients probe these with parameters of their own, such as Codex's `client_version`. */
const config = { query: ['*'] }

/** GET /v1/models, /models for clients that were given an address without /v1, and GET /v1/models/<id>, whose id may hold slashes; Anthropic's clients are answered in their own shape. */
export function registerListModels(api: FastifyInstance, deps: HttpDependencies): void {
  const modelsOf = (incoming: FastifyRequest): readonly ListedModel[] => {
    const caller = callerOf(incoming)
    requireScope(caller, scopes)
    return listModels({ pool: deps.pool, catalog: deps.assets.library.catalogFor(caller.accountId) })
  }
  const listed = (incoming: FastifyRequest) => modelsOf(incoming).filter(({ descriptor }) => descriptor.hidden === undefined)
  for (const path of ['/v1/models', '/models'])
    api.get(path, { config }, async (incoming) => {
      if (isMessagesSurface(incoming)) return encodeMessageModels(listed(incoming), Object(incoming.query))
      return { object: 'list', data: listed(incoming).map(encodeModel), ...encodePulls(deps.pulls?.list() ?? []) }
    })
  api.get('/v1/models/*', { config }, async (incoming: FastifyRequest<{ Params: { '*': string } }>) => {
    const encode = isMessagesSurface(incoming) ? encodeMessageModel : encodeModel
    const id = incoming.params['*']
    const models = modelsOf(incoming)
    const model = models.find(({ descriptor }) => descriptor.id === id)
    if (model !== undefined) return encode(model)
    throw new ServiceError(
      'model_not_found',
      `There is no model named ${JSON.stringify(shortName(id))}; the models are: ${listed(incoming)
        .map(({ descriptor }) => descriptor.id)
        .join(', ')}.`,
      { param: 'model' },
    )
  })
}
