import type { FastifyInstance } from 'fastify'
import { listedModels } from '../../../core/find-descriptor.ts'
import type { ModelCatalog } from '../../../core/ports/model-catalog.ts'
import { tokenize } from '../../../operations/read-tokens.ts'
import { synchronousBody } from '../../body/read-body.ts'
import { callerOf, requireScope } from '../../caller.ts'
import { clientSignal } from '../../client-signal.ts'
import type { RouteDependencies } from '../../http-dependencies.ts'
import type { HttpSettings } from '../../http-settings.ts'
import { refuseOverlong } from '../../limits/overlong-prompt.ts'
import { chooseTextModel, requireTextModel } from '../../require-text-model.ts'
import { parseResponseRequest, readResponseRequest } from '../../wire/responses/response-request.ts'
import { itemsBefore } from './kept-response.ts'

/** The model whose tokens are counted where none is named: the first that makes text. */
function firstModel(catalog: ModelCatalog): string {
  return chooseTextModel(catalog, listedModels(catalog).find((model) => model.kind === 'text' && model.generates !== false)?.id, 'generate')
    .id
}

/** POST /v1/responses/input_tokens: how many tokens the input of a response has, the conversation before included. */
export function registerCountResponseTokens(api: FastifyInstance, routeDeps: RouteDependencies, settings: HttpSettings): void {
  const deps = { ...routeDeps, mostDocumentBytes: settings.mostDocumentBytes, runLimitMs: settings.runLimitMs }
  api.post('/v1/responses/input_tokens', { config: { largeBody: true } }, async (incoming, reply) => {
    const caller = callerOf(incoming)
    requireScope(caller, ['text'])
    const options = { signal: clientSignal(reply) }
    const received = synchronousBody(incoming)
    const { model: named = firstModel(deps.catalog), input: asked = '', ...rest } = Object(received.value)
    const body = parseResponseRequest({ ...rest, model: named, input: asked })
    const model = requireTextModel(deps.catalog, body.model, 'generate')
    const check = (bytes: number) => refuseOverlong(model, { bytes: bytes + received.byteLength, param: 'messages' })
    check(0)
    const earlier = await itemsBefore(deps, { accountId: caller.accountId, previous: body.previous_response_id }, check, options)
    const { input } = readResponseRequest(body, earlier, { tokens: 1 })
    if (input.type !== 'chat') throw new TypeError('A response became something else')
    const { result } = await tokenize(deps, { caller, request: { model: model.id, input, spelled: false } }, options)
    return { object: 'response.input_tokens', input_tokens: result.tokens.length }
  })
}
