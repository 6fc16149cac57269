import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { collectText } from '../../operations/collect-text.ts'
import { createChatCompletion } from '../../operations/create-chat-completion.ts'
import { callerOf, requireScope } from '../caller.ts'
import { clientSignal } from '../client-signal.ts'
import { afterFirst } from '../first-part.ts'
import type { HttpDependencies } from '../http-dependencies.ts'
import type { HttpSettings } from '../http-settings.ts'
import { interactiveWork } from '../interactive-work.ts'
import { receivedBody } from '../read-body.ts'
import { requireTextModel } from '../require-text-model.ts'
import { sendEvents } from '../send-events.ts'
import { encodeChatCompletion } from '../wire/chat-completion.ts'
import { createChatRequestParser } from '../wire/chat-request.ts'
import { encodeChatStream } from '../wire/chat-stream.ts'
import { startCompletion } from '../wire/completion-head.ts'

/** POST /v1/chat/completions: as JSON, as a stream, or deferred. */
export function registerChatCompletion(api: FastifyInstance, deps: HttpDependencies, settings: HttpSettings): void {
  const parse = createChatRequestParser(settings)
  api.post('/v1/chat/completions', async (incoming: FastifyRequest, reply: FastifyReply) => {
    const caller = callerOf(incoming)
    requireScope(caller, ['text'])
    const { request, delivery } = parse(receivedBody(incoming).value)
    requireTextModel(deps.catalog, request.model)
    const parts = createChatCompletion(interactiveWork(deps, settings, incoming), { caller, request }, { signal: clientSignal(reply) })
    if (!delivery.stream) return encodeChatCompletion(startCompletion(deps.clock, request.model), request, await collectText(parts))
    const started = await afterFirst(parts)
    const events = encodeChatStream(startCompletion(deps.clock, request.model), request, started, delivery)
    await sendEvents(reply, events, (error) => deps.observer.failed({ requestId: incoming.id, error }))
    return reply
  })
}
