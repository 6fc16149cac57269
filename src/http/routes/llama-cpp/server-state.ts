import type { FastifyInstance, FastifyRequest } from 'fastify'
import { scopes } from '../../../core/access-token.ts'
import { ServiceError } from '../../../core/error.ts'
import { listModels } from '../../../operations/list-models.ts'
import { callerOf, requireScope } from '../../caller.ts'
import type { HttpDependencies } from '../../http-dependencies.ts'
import { chooseTextModel } from '../../require-text-model.ts'
import { encodeProps, encodeSlots } from '../../wire/llama-cpp/server-state.ts'

interface AskedModel {
  Querystring: { readonly model?: string }
}

/** GET /props and /slots, and by name the refusal of what changes them in llama.cpp's server. */
export function registerServerState(api: FastifyInstance, deps: HttpDependencies): void {
  const find = (incoming: FastifyRequest<AskedModel>) => {
    requireScope(callerOf(incoming), scopes)
    const descriptor = chooseTextModel(deps.catalog, readName(incoming.query.model), 'generate')
    const listed = listModels(deps).find((model) => model.descriptor.id === descriptor.id)
    return { state: null, contextLength: null, ...listed, descriptor }
  }
  const config = { query: ['model'] }
  api.get<AskedModel>('/props', { config }, async (incoming) => encodeProps(find(incoming)))
  api.get<AskedModel>('/slots', { config }, async (incoming) => encodeSlots(find(incoming)))
  api.get('/lora-adapters', async (incoming) => {
    requireScope(callerOf(incoming), scopes)
    return []
  })
  for (const [path, message, query] of refused)
    api.post(path, { config: { query } }, async (incoming) => {
      requireScope(callerOf(incoming), scopes)
      throw new ServiceError('unsupported_parameter', message, { param: path.split('/')[1] })
    })
}

const refused = [
  ['/props', '`/props` cannot be changed by a request; use the settings of the service and model.json.', []],
  ['/slots/:id', '`/slots` cannot be saved, restored or erased; prompts are cached automatically per account.', ['action']],
  ['/lora-adapters', '`/lora-adapters` cannot be changed; text models do not support LoRAs.', []],
] as const

/** Of several, none. */
function readName(model: unknown): string | undefined {
  if (model === undefined || typeof model === 'string') return model
  throw new ServiceError('invalid_request_error', '`model` must be given once.', { param: 'model' })
}
