import type { FastifyInstance } from 'fastify'
import { collectText } from '../../../operations/collect-text.ts'
import { generateText } from '../../../operations/generate-text.ts'
import { streamText } from '../../answers/stream-text.ts'
import { synchronousBody } from '../../body/read-body.ts'
import { withModelDefaults } from '../../body/with-model-defaults.ts'
import { callerOf, requireScope } from '../../caller.ts'
import { clientSignal } from '../../client-signal.ts'
import type { RouteDependencies } from '../../http-dependencies.ts'
import type { HttpSettings } from '../../http-settings.ts'
import { interactiveWork } from '../../interactive-work.ts'
import { refuseOverlong } from '../../limits/overlong-prompt.ts'
import { requireTextModel } from '../../require-text-model.ts'
import { encodeMessage, startMessage } from '../../wire/messages/message.ts'
import { parseMessageRequest } from '../../wire/messages/message-request.ts'
import { encodeMessageStream, pingEvent } from '../../wire/messages/message-stream.ts'

/** POST /v1/messages: a conversation in Anthropic's words, as JSON or as a stream. */
export function registerCreateMessage(api: FastifyInstance, deps: RouteDependencies, settings: HttpSettings): void {
  // Anthropic's own clients send `?beta=true` where a request uses what is new.
  api.post('/v1/messages', { config: { spends: 'tokens', query: ['beta'] } }, async (incoming, reply) => {
    const caller = callerOf(incoming)
    requireScope(caller, ['text'])
    const body = synchronousBody(incoming)
    const { request, stream, thoughts } = parseMessageRequest(withModelDefaults(deps.catalog, body.value, ['temperature', 'topP', 'topK']))
    refuseOverlong(requireTextModel(deps.catalog, request.model, 'generate'), { bytes: body.byteLength, param: 'messages' })
    const head = startMessage(request.model)
    const work = interactiveWork(deps, settings, incoming)
    const parts = generateText(work, { caller, request, kind: 'chat' }, { signal: clientSignal(reply) })
    if (!stream) return encodeMessage(head, await collectText(parts), { thoughts })
    return streamText(deps, { incoming, reply, caller }, parts, {
      encode: (started, { isEarly }) => encodeMessageStream(head, started, { thoughts, isEarly }),
      ping: pingEvent,
    })
  })
}
