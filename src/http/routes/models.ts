import Type from 'typebox'
import { type Caller, scopes } from '../../core/access-token.ts'
import { ServiceError } from '../../core/error.ts'
import { shortName } from '../../core/requests/short-name.ts'
import { unstoppable } from '../../core/waiting.ts'
import { type ListedModel, listModels } from '../../operations/list-models.ts'
import { isMessagesSurface } from '../answers/surface.ts'
import { synchronousBody } from '../body/read-body.ts'
import type { HttpDependencies } from '../http-dependencies.ts'
import type { Call, Route } from '../route.ts'
import { encodeMessageModel, encodeMessageModels, messageModelListSchema, messageModelSchema } from '../wire/messages/message-models.ts'
import { encodeModel, encodePulls, modelChoiceSchema, parseModelChoice } from '../wire/service/model.ts'
import { modelListSchema, modelSchema } from '../wire/service/model-answers.ts'
import { inPath, json } from './row-parts.ts'

/** The models that a caller sees; Anthropic's clients are answered in their own shape. */
export const modelRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/v1/models',
    // For clients that were given an address without /v1.
    alsoAt: ['/models'],
    summary: 'List the models',
    description:
      "Also at /models. With `anthropic-version`, the answer has Anthropic's format and lists text models, page by page (`limit`, `after_id`, `before_id`).",
    scopes,
    // Clients probe these with parameters of their own, such as Codex's `client_version`.
    idleQuery: ['*'],
    answers: [json('Every installed model.', Type.Union([modelListSchema, messageModelListSchema]))],
    refusals: [429],
    handle:
      (deps) =>
      async ({ incoming, caller, query }) => {
        const listed = listedOf(visibleModels(deps, caller))
        if (isMessagesSurface(incoming)) return encodeMessageModels(listed, query)
        return { object: 'list', data: listed.map(encodeModel), ...encodePulls(deps.pulls?.list() ?? []) }
      },
  },
  {
    method: 'GET',
    path: '/v1/models/{+id}',
    summary: 'Get a model',
    scopes,
    parameters: [inPath('id', 'Its name; may hold slashes.')],
    idleQuery: ['*'],
    answers: [json('The model.', Type.Union([modelSchema, messageModelSchema]))],
    refusals: [404, 429],
    handle:
      (deps) =>
      async ({ incoming, caller, param }) => {
        const models = visibleModels(deps, caller)
        const model = models.find(({ descriptor }) => descriptor.id === param('id'))
        if (model !== undefined) return (isMessagesSurface(incoming) ? encodeMessageModel : encodeModel)(model)
        const names = listedOf(models).map(({ descriptor }) => descriptor.id)
        throw new ServiceError(
          'model_not_found',
          `There is no model named ${JSON.stringify(shortName(param('id')))}; the models are: ${names.join(', ')}.`,
          { param: 'model' },
        )
      },
  },
]

function visibleModels({ pool, assets }: HttpDependencies, { accountId }: Caller): readonly ListedModel[] {
  return listModels({ pool, catalog: assets.library.catalogFor(accountId) })
}

function listedOf(models: readonly ListedModel[]): readonly ListedModel[] {
  return models.filter(({ descriptor }) => descriptor.hidden === undefined)
}

/** POST /models/load and /models/unload, for owners; both answer with the model as it then is. */
export const loadingRoutes: readonly Route[] = [
  loadingRoute('load', 'Load a model into memory', 'Returns when it is loaded; the first request would load it too.'),
  loadingRoute('unload', 'Free the memory of a model', 'Returns when its running work has ended; the next request loads it again.'),
]

function loadingRoute(verb: 'load' | 'unload', summary: string, description: string): Route {
  return {
    method: 'POST',
    path: `/models/${verb}`,
    summary,
    description,
    scopes,
    scopeRule: 'every one, on a token of an owner',
    body: modelChoiceSchema,
    example: { model: 'smollm2-135m-instruct' },
    answers: [json('The model in its new state.', modelSchema)],
    refusals: [404, 413, 415, 429, 503],
    handle: (deps) => (call) => changeLoading(deps, call, verb),
  }
}

async function changeLoading(deps: HttpDependencies, { incoming, caller, options }: Call, verb: 'load' | 'unload'): Promise<object> {
  await requireOwner(deps, caller, options)
  const model = parseModelChoice(synchronousBody(incoming).value)
  await deps.pool[verb](model, options)
  const { accountId } = caller
  const entry = { at: deps.clock.now(), action: `model-${verb}ed`, accountId, address: incoming.ip, subject: model, detail: null } as const
  // It has been done by now, whether or not the client is still there.
  await deps.audit.append(entry, unstoppable)
  const listed = listModels(deps).find(({ descriptor }) => descriptor.id === model)
  if (listed === undefined) throw new ServiceError('model_not_found', 'The model was removed in the meantime; see /v1/models.')
  return encodeModel(listed)
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
