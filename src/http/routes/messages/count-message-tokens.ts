import type { FastifyInstance } from 'fastify'
import { tokenize } from '../../../operations/read-tokens.ts'
import { synchronousBody } from '../../body/read-body.ts'
import { callerOf, requireScope } from '../../caller.ts'
import { clientSignal } from '../../client-signal.ts'
import type { HttpDependencies } from '../../http-dependencies.ts'
import type { HttpSettings } from '../../http-settings.ts'
import { refuseOverlong } from '../../limits/overlong-prompt.ts'
import { requireTextModel } from '../../require-text-model.ts'
import { parseCountRequest } from '../../wire/messages/message-request.ts'

/** POST /v1/messages/count_tokens: how many tokens the prompt of a conversation has. */
export function registerCountMessageTokens(api: FastifyInstance, deps: HttpDependencies, settings: HttpSettings): void {
  const { runLimitMs } = settings
  api.post('/v1/messages/count_tokens', { config: { largeBody: true, query: ['beta'] } }, async (incoming, reply) => {
    const caller = callerOf(incoming)
    requireScope(caller, ['text'])
    const body = synchronousBody(incoming)
    const request = { ...parseCountRequest(body.value), spelled: false }
    refuseOverlong(requireTextModel(deps.catalog, request.model, 'generate'), { bytes: body.byteLength, param: 'messages' })
    const { result } = await tokenize({ ...deps, runLimitMs }, { caller, request }, { signal: clientSignal(reply) })
    return { input_tokens: result.tokens.length }
  })
}
