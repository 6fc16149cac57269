import { collectText } from '../../operations/collect-text.ts'
import { generateSeveral } from '../../operations/generate-text.ts'
import { streamText } from '../answers/stream-text.ts'
import { synchronousBody } from '../body/read-body.ts'
import type { Route } from '../route.ts'
import { encodeCompletion, encodeCompletionStream, startCompletion } from '../wire/chat/completion.ts'
import { completionRequestSchema, createCompletionRequestParser } from '../wire/chat/completion-request.ts'
import { withAdapters } from '../wire/chat/fields/adapter-fields.ts'
import { refuseOverlong } from '../wire/chat/overlong-prompt.ts'
import { requireTextModel } from '../wire/chat/require-text-model.ts'
import { completionSchema } from '../wire/chat/text-answers.ts'
import { withModelDefaults } from '../wire/chat/with-model-defaults.ts'
import { pingComment } from '../wire/event-data.ts'
import { events, modelRefusals } from './row-parts.ts'

/** POST /v1/completions: continues prompts, as JSON or as a stream. */
export const createCompletion: Route = {
  method: 'POST',
  path: '/v1/completions',
  origin: 'textUrl',
  summary: 'Continue a text',
  scopes: ['text'],
  spends: 'tokens',
  model: 'named',
  body: completionRequestSchema,
  example: { model: 'smollm2-135m-instruct', prompt: 'The capital of France is', max_tokens: 8 },
  answers: [{ status: 200, description: 'The continuation.', content: { 'application/json': completionSchema, ...events } }],
  refusals: modelRefusals,
  handle: (deps, settings) => {
    const parse = createCompletionRequestParser(settings)
    return async (call) => {
      const { incoming, caller, options } = call
      const body = synchronousBody(incoming)
      const { request, others, delivery } = parse(withModelDefaults(deps.catalog, body.value))
      const model = requireTextModel(deps.catalog, request.model, 'generate')
      refuseOverlong(model, { bytes: Math.ceil(body.byteLength / (1 + others.length)), param: 'prompt' })
      const requests = [request, ...others].map((each) => withAdapters(deps.catalog, each, model))
      const parts = generateSeveral(call.work, { caller, requests }, options)
      if (!delivery.stream) return encodeCompletion(startCompletion(deps.clock, request.model), request, await collectText(parts))
      const head = startCompletion(deps.clock, request.model)
      return streamText(deps, call, parts, {
        encode: (started, { isEarly }) => encodeCompletionStream(head, started, { ...delivery, isEarly }),
        ping: pingComment,
      })
    }
  },
}
