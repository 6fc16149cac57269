import Type from 'typebox'
import { type Caller, scopes } from '../../core/access-token.ts'
import type { AuditEntry } from '../../core/audit-entry.ts'
import { ServiceError } from '../../core/error.ts'
import { listAliases, resolveModelName } from '../../core/find-descriptor.ts'
import { shortName } from '../../core/requests/request-record.ts'
import { neverAborted } from '../../core/waiting.ts'
import { type ListedModel, listModels } from '../../operations/list-models.ts'
import { isMessagesSurface } from '../answers/surface.ts'
import { synchronousBody } from '../body/read-body.ts'
import type { HttpDependencies } from '../http-dependencies.ts'
import type { Call, Route } from '../route.ts'
import { encodeMessageModel, encodeMessageModels, messageModelListSchema, messageModelSchema } from '../wire/messages/message-models.ts'
import { encodeModel, encodePulls, modelChoiceSchema, parseModelChoice } from '../wire/service/model.ts'
import { modelListSchema, modelSchema } from '../wire/service/model-answers.ts'
import { inPath, json } from './row-parts.ts'

/** The models that a caller can use. Anthropic's clients get their own format. */
export const modelRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/v1/models',
    // For clients configured with an address without /v1.
    alsoAt: ['/models'],
    summary: 'List the models',
    description:
      "Also at /models. With the header `anthropic-version`, the response is in Anthropic's format and lists text models page by page (`limit`, `after_id`, `before_id`).",
    scopes,
    // Clients add their own parameters here, such as Codex's `client_version`.
    idleQuery: ['*'],
    answers: [json('Every installed model.', Type.Union([modelListSchema, messageModelListSchema]))],
    refusals: [429],
    handle:
      (deps, { models: { aliases } }) =>
      async ({ incoming, caller, query }) => {
        const listed = listedOf(visibleModels(deps, caller))
        if (isMessagesSurface(incoming)) return encodeMessageModels(listed, query)
        const aliased = [...listAliases(deps.catalog, aliases)].flatMap(([alias, { id }]) =>
          listed.filter(({ descriptor }) => descriptor.id === id).map((model) => ({ ...encodeModel(model), id: alias, alias_of: id })),
        )
        return { object: 'list', data: [...listed.map(encodeModel), ...aliased], ...encodePulls(deps.pulls.list()) }
      },
  },
  {
    method: 'GET',
    path: '/v1/models/{+id}',
    summary: 'Get a model',
    scopes,
    parameters: [inPath('id', 'Its name; may contain slashes.')],
    idleQuery: ['*'],
    answers: [json('The model.', Type.Union([modelSchema, messageModelSchema]))],
    refusals: [404, 429],
    handle:
      (deps, { models: { aliases } }) =>
      async ({ incoming, caller, param }) => {
        const models = visibleModels(deps, caller)
        const id = resolveModelName(deps.catalog, param('id'), aliases)
        const model =
          models.find(({ descriptor }) => descriptor.id === param('id')) ?? models.find(({ descriptor }) => descriptor.id === id)
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

/** POST /models/load and /models/unload, for owners. Both answer with the model's new state. */
export const loadingRoutes: readonly Route[] = [
  loadingRoute('load', 'Load a model into memory', 'Returns when it is loaded; the first request would load it too.'),
  loadingRoute('unload', 'Free the memory of a model', 'Returns when its running work has ended; the next request loads it again.'),
]

function loadingRoute(verb: 'load' | 'unload', summary: string, description: string): Route {
  return {
    method: 'POST',
    path: `/models/${verb}`,
    takesLonger: true,
    summary,
    description,
    scopes,
    scopeRule: 'all scopes, on a token of an owner',
    body: modelChoiceSchema,
    example: { model: 'smollm2-135m-instruct' },
    answers: [json('The model in its new state.', modelSchema)],
    refusals: [404, 413, 415, 429, 503],
    handle: (deps) => (call) => changeLoading(deps, call, verb),
  }
}

async function changeLoading(deps: HttpDependencies, call: Call, verb: 'load' | 'unload'): Promise<object> {
  await requireOwner(deps, call)
  const model = parseModelChoice(synchronousBody(call.incoming).value)
  if (await deps.pool[verb](model, call.options)) await recordModelChange(deps, call, { action: `model-${verb}ed`, model })
  const listed = listModels(deps).find(({ descriptor }) => descriptor.id === model)
  if (listed === undefined) throw new ServiceError('model_not_found', 'The model was removed in the meantime; see /v1/models.')
  return encodeModel(listed)
}

/** Records an owner's change to a model in the audit log. The change is done by now, even if the client has left. */
export async function recordModelChange(
  { audit, clock }: Pick<HttpDependencies, 'audit' | 'clock'>,
  { incoming, caller: { accountId } }: Pick<Call, 'incoming' | 'caller'>,
  { action, model }: { readonly action: AuditEntry['action']; readonly model: string },
): Promise<void> {
  await audit.append({ at: clock.now(), action, accountId, address: incoming.ip, subject: model, detail: null }, neverAborted)
}

/** Unloads a model that its last request no longer needs, if an owner sent that; the answer does not wait for the model's other work. */
export async function unloadAfterwards(deps: HttpDependencies, call: Call, model: string): Promise<void> {
  try {
    await requireOwner(deps, call)
  } catch {
    return
  }
  deps.pool
    .unload(model, neverAborted)
    .then((unloaded) => (unloaded ? recordModelChange(deps, call, { action: 'model-unloaded', model }) : undefined))
    .catch((error: unknown) => call.onFailure(error))
}

/** @throws {ServiceError} `insufficient_scope` for accounts that are not owners, and for tokens without every scope. */
export async function requireOwner(
  { accounts }: Pick<HttpDependencies, 'accounts'>,
  { caller, options }: Pick<Call, 'caller' | 'options'>,
): Promise<void> {
  if (!scopes.every((scope) => caller.scopes.includes(scope)))
    throw new ServiceError('insufficient_scope', `Use an access token with every scope: ${scopes.join(', ')}.`)
  const account = await accounts.find(caller.accountId, options)
  if (account?.role !== 'owner') throw new ServiceError('insufficient_scope', 'Only owners can do this; ask an owner of the service.')
}
