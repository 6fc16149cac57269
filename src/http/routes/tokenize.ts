import type { FastifyInstance } from 'fastify'
import { promptField } from '../../core/text-generation.ts'
import { tokenize } from '../../operations/read-tokens.ts'
import { synchronousBody } from '../body/read-body.ts'
import { callerOf, requireScope } from '../caller.ts'
import { clientSignal } from '../client-signal.ts'
import type { HttpDependencies } from '../http-dependencies.ts'
import type { HttpSettings } from '../http-settings.ts'
import { refuseOverlong } from '../limits/overlong-prompt.ts'
import { chooseTextModel, requireTextModel, useOf } from '../require-text-model.ts'
import { createChatRequestParser } from '../wire/chat/chat-request.ts'
import { encodePieces, encodeTokens } from '../wire/tokens/token-answers.ts'
import { parseTokenizeRequest } from '../wire/tokens/tokenize-request.ts'

/** POST /tokenize, and POST /v1/chat/completions/input_tokens, which only counts. */
export function registerTokenize(api: FastifyInstance, deps: HttpDependencies, settings: HttpSettings): void {
  const { runLimitMs } = settings
  const parseChat = createChatRequestParser(settings)
  const choose = (model: string | undefined): string => chooseTextModel(deps.catalog, model).id

  api.post('/tokenize', { config: { largeBody: true } }, async (incoming, reply) => {
    const caller = callerOf(incoming)
    requireScope(caller, ['text'])
    const body = synchronousBody(incoming)
    const { answer, ...request } = parseTokenizeRequest(body.value, { choose, parseChat })
    const param = promptField(request.input)
    refuseOverlong(requireTextModel(deps.catalog, request.model, useOf(request.input, 'read')), { bytes: body.byteLength, param })
    const { result, contextLength } = await tokenize({ ...deps, runLimitMs }, { caller, request }, { signal: clientSignal(reply) })
    return answer === 'llama.cpp' ? encodePieces(result) : encodeTokens(result, contextLength)
  })

  api.post('/v1/chat/completions/input_tokens', { config: { largeBody: true } }, async (incoming, reply) => {
    const caller = callerOf(incoming)
    requireScope(caller, ['text'])
    const body = synchronousBody(incoming)
    const { model, input } = parseChat(body.value).request
    refuseOverlong(requireTextModel(deps.catalog, model, useOf(input, 'read')), { bytes: body.byteLength, param: 'messages' })
    if (input.type !== 'chat') throw new TypeError('A chat request became something else')
    const request = { model, input, spelled: false }
    const { result } = await tokenize({ ...deps, runLimitMs }, { caller, request }, { signal: clientSignal(reply) })
    return { object: 'response.input_tokens', input_tokens: result.tokens.length }
  })
}
