import type { FastifyInstance } from 'fastify'
import { collectText } from '../../operations/collect-text.ts'
import { generateSeveral } from '../../operations/generate-several.ts'
import { streamText } from '../answers/stream-text.ts'
import { synchronousBody } from '../body/read-body.ts'
import { withModelDefaults } from '../body/with-model-defaults.ts'
import { callerOf, requireScope } from '../caller.ts'
import { clientSignal } from '../client-signal.ts'
import type { RouteDependencies } from '../http-dependencies.ts'
import type { HttpSettings } from '../http-settings.ts'
import { interactiveWork } from '../interactive-work.ts'
import { refuseOverlong } from '../limits/overlong-prompt.ts'
import { requireTextModel } from '../require-text-model.ts'
import { encodeCompletion } from '../wire/chat/completion.ts'
import { startCompletion } from '../wire/chat/completion-head.ts'
import { createCompletionRequestParser } from '../wire/chat/completion-request.ts'
import { encodeCompletionStream } from '../wire/chat/completion-stream.ts'
import { pingComment } from '../wire/event-data.ts'

/** POST /v1/completions: one prompt, as JSON or as a stream. */
export function registerCreateCompletion(api: FastifyInstance, deps: RouteDependencies, settings: HttpSettings): void {
  const parse = createCompletionRequestParser(settings)
  api.post('/v1/completions', { config: { spends: 'tokens' } }, async (incoming, reply) => {
    const caller = callerOf(incoming)
    requireScope(caller, ['text'])
    const body = synchronousBody(incoming)
    const { request, others, delivery } = parse(withModelDefaults(deps.catalog, body.value))
    const model = requireTextModel(deps.catalog, request.model, 'generate')
    refuseOverlong(model, { bytes: Math.ceil(body.byteLength / (1 + others.length)), param: 'prompt' })
    const work = interactiveWork(deps, settings, incoming)
    const requests = [request, ...others]
    const parts = generateSeveral(work, { caller, requests, kind: 'completion' }, { signal: clientSignal(reply) })
    if (!delivery.stream) return encodeCompletion(startCompletion(deps.clock, request.model), request, await collectText(parts))
    const head = startCompletion(deps.clock, request.model)
    return streamText(deps, { incoming, reply, caller }, parts, {
      encode: (started, { isEarly }) => encodeCompletionStream(head, started, { ...delivery, isEarly }),
      ping: pingComment,
    })
  })
}
