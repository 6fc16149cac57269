import type { FastifyInstance } from 'fastify'
import { collectText } from '../../operations/collect-text.ts'
import { createCompletion } from '../../operations/create-completion.ts'
import { refuseAsyncMode } from '../async-mode.ts'
import { callerOf, requireScope } from '../caller.ts'
import { clientSignal } from '../client-signal.ts'
import { afterFirst } from '../first-part.ts'
import type { HttpDependencies } from '../http-dependencies.ts'
import type { HttpSettings } from '../http-settings.ts'
import { interactiveWork } from '../interactive-work.ts'
import { receivedBody } from '../read-body.ts'
import { requireTextModel } from '../require-text-model.ts'
import { sendEvents } from '../send-events.ts'
import { encodeCompletion } from '../wire/completion.ts'
import { startCompletion } from '../wire/completion-head.ts'
import { createCompletionRequestParser } from '../wire/completion-request.ts'
import { encodeCompletionStream } from '../wire/completion-stream.ts'

/** POST /v1/completions: one prompt, as JSON or as a stream. */
export function registerCompletion(api: FastifyInstance, deps: HttpDependencies, settings: HttpSettings): void {
  const parse = createCompletionRequestParser(settings)
  api.post('/v1/completions', { config: { spends: 'tokens' } }, async (incoming, reply) => {
    const caller = callerOf(incoming)
    requireScope(caller, ['text'])
    refuseAsyncMode(incoming.headers, settings.asyncHeaders)
    const { request, delivery } = parse(receivedBody(incoming).value)
    requireTextModel(deps.catalog, request.model)
    const parts = createCompletion(interactiveWork(deps, settings, incoming), { caller, request }, { signal: clientSignal(reply) })
    if (!delivery.stream) return encodeCompletion(startCompletion(deps.clock, request.model), request, await collectText(parts))
    const started = await afterFirst(parts)
    const events = encodeCompletionStream(startCompletion(deps.clock, request.model), started, delivery)
    await sendEvents(reply, events, (error) => deps.observer.faultSurvived({ requestId: incoming.id, error }))
    return reply
  })
}
