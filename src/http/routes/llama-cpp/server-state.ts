import { scopes } from '../../../core/access-token.ts'
import { ServiceError } from '../../../core/error.ts'
import { listModels } from '../../../operations/list-models.ts'
import type { RouteDependencies } from '../../http-dependencies.ts'
import type { Call, Route } from '../../route.ts'
import { adaptersFor } from '../../wire/chat/fields/adapter-fields.ts'
import { chooseTextModel } from '../../wire/chat/require-text-model.ts'
import {
  adaptersSchema,
  encodeAdapters,
  encodeProps,
  encodeSlots,
  propsSchema,
  slotsSchema,
  type TextModel,
} from '../../wire/llama-cpp/server-state.ts'
import { inPath, inQuery, json } from '../row-parts.ts'

const model = inQuery('model', 'A text model; optional when there is only one.')

/** GET /props, /slots and /lora-adapters, and refusals of the requests that would change them. */
export const serverStateRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/props',
    summary: "Get the properties of a model, in llama.cpp's format",
    scopes,
    parameters: [model],
    answers: [json('The properties of the model.', propsSchema)],
    refusals: [404, 429],
    handle: (deps) => async (call) => encodeProps(findModel(deps, call)),
  },
  {
    ...refusalRoute('/props', '`/props` cannot be changed by a request; use the settings of the service and model.json.'),
    summary: 'Rejected: use the settings and model.json',
    refusals: [429],
  },
  {
    method: 'GET',
    path: '/slots',
    summary: 'List the slots of a model',
    description: 'Slots cannot be saved, restored or erased: POST /slots/… is rejected.',
    scopes,
    parameters: [model],
    answers: [json('The slots of the model.', slotsSchema)],
    refusals: [404, 429],
    handle: (deps) => async (call) => encodeSlots(findModel(deps, call)),
  },
  {
    ...refusalRoute('/slots/{id}', '`/slots` cannot be saved, restored or erased; prompts are cached automatically per account.'),
    parameters: [inPath('id', 'Of a slot.')],
    idleQuery: ['action'],
    isUnlisted: true,
  },
  {
    method: 'GET',
    path: '/lora-adapters',
    summary: "List the LoRA adapters of a model, in llama.cpp's format",
    description: 'Name them in `lora` of a request, by `name` or by `id`. Ids change when adapters are added or removed; names do not.',
    scopes,
    parameters: [model],
    answers: [json('The adapters that fit the model.', adaptersSchema)],
    refusals: [404, 429],
    handle: (deps) => async (call) => encodeAdapters(adaptersFor(deps.catalog, findModel(deps, call).descriptor)),
  },
  { ...refusalRoute('/lora-adapters', '`/lora-adapters` cannot be changed; send `lora` with each request.'), isUnlisted: true },
]

/** A route that always refuses. */
function refusalRoute(path: string, message: string): Route {
  return {
    method: 'POST',
    path,
    summary: 'Not supported',
    scopes,
    answers: [],
    handle: () => async () => {
      throw new ServiceError('unsupported_parameter', message, { param: path.split('/')[1] })
    },
  }
}

function findModel(deps: RouteDependencies, { query }: Call): TextModel {
  const descriptor = chooseTextModel(deps.catalog, readName(query.model), 'generate')
  const listed = listModels(deps).find(({ descriptor: { id } }) => id === descriptor.id)
  return { state: null, contextLength: null, ...listed, descriptor }
}

/** Undefined when the parameter is given more than once. */
function readName(name: unknown): string | undefined {
  if (name === undefined || typeof name === 'string') return name
  throw new ServiceError('invalid_request_error', '`model` must be given once.', { param: 'model' })
}
