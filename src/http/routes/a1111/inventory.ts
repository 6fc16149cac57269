import Type, { type TSchema } from 'typebox'
import type { ModelCatalog } from '../../../core/ports/model-catalog.ts'
import { findImageDefault, keepImageDefault } from '../../../operations/image-default.ts'
import { receivedBody } from '../../body/read-body.ts'
import type { RouteDependencies } from '../../http-dependencies.ts'
import type { Call, Route } from '../../route.ts'
import { a1111Lists, optionsSchema, readChoice, readOptions } from '../../wire/a1111/inventory.ts'
import { json } from '../row-parts.ts'

/** A1111's lists of what is installed, and its settings. */
export const a1111InventoryRoutes: readonly Route[] = [
  ...a1111Lists.map(({ name, summary, schema, list }) =>
    listRoute(name, summary, schema, (deps) => async (call) => list(catalogOf(deps, call))),
  ),
  listRoute('options', 'Get the default settings', optionsSchema, (deps) => async (call) => {
    return readOptions(catalogOf(deps, call), await findImageDefault(deps, call.caller.accountId, call.options))
  }),
  {
    method: 'POST',
    path: '/sdapi/v1/options',
    origin: 'imageUrl',
    summary: "Choose the model of later requests, in A1111's format",
    description:
      '`sd_model_checkpoint` becomes the default of the account on the routes of A1111. Changes of other settings are rejected; send those with a request, in `override_settings`.',
    scopes: ['image'],
    body: Type.Partial(optionsSchema),
    example: { samples_format: 'png' },
    answers: [json('The model was chosen.', Type.Null())],
    refusals: [413, 415, 422, 429],
    handle:
      (deps, { models: { aliases } }) =>
      async (call) => {
        const { caller, incoming, reply, options } = call
        const { accountId } = caller
        const chosen = await findImageDefault(deps, accountId, options)
        const model = await readChoice(catalogOf(deps, call), receivedBody(incoming).value, { chosen, aliases })
        if (model !== null) await keepImageDefault(deps, { accountId, model }, options)
        return reply.type('application/json; charset=utf-8').send('null')
      },
  },
]

function listRoute(name: string, summary: string, schema: TSchema, handle: Route['handle']): Route {
  return {
    method: 'GET',
    path: `/sdapi/v1/${name}`,
    origin: 'imageUrl',
    summary: `${summary}, in A1111's format`,
    scopes: ['image'],
    answers: [json('The list.', schema)],
    refusals: [429],
    handle,
  }
}

function catalogOf({ assets }: RouteDependencies, { caller }: Call): ModelCatalog {
  return assets.library.catalogFor(caller.accountId)
}
