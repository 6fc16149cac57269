import Type from 'typebox'
import type { TextRequest } from '../../../core/text-generation.ts'
import { collectText } from '../../../operations/collect-text.ts'
import { generateText } from '../../../operations/generate-text.ts'
import { streamText } from '../../answers/stream-text.ts'
import { synchronousBody } from '../../body/read-body.ts'
import type { RouteDependencies } from '../../http-dependencies.ts'
import type { Call, Route } from '../../route.ts'
import { withAdapters } from '../../wire/chat/fields/adapter-fields.ts'
import { refuseOverlong } from '../../wire/chat/overlong-prompt.ts'
import { chooseTextModel } from '../../wire/chat/require-text-model.ts'
import { pingComment } from '../../wire/event-data.ts'
import { encodeNativeCompletion, encodeNativeStream, nativeCompletionAnswerSchema } from '../../wire/llama-cpp/completion.ts'
import { createNativeCompletionParser, type NativeDelivery, nativeCompletionSchema } from '../../wire/llama-cpp/completion-request.ts'
import { createInfillParser, infillSchema } from '../../wire/llama-cpp/infill-request.ts'
import { NativeTimer } from '../../wire/llama-cpp/timings.ts'
import { events, modelRefusals } from '../row-parts.ts'
import { readAsTokens } from './read-as-tokens.ts'

/** Part of the description of every route in llama.cpp's format. */
export const aboutNative = 'With the format and defaults of llama-server. Also accepts the token as `x-api-key`.'
const aboutStream = 'With `stream: true`, the response is a stream of `data:` lines; the last one has `stop: true`.'

/** llama.cpp's routes that continue prompts and fill gaps between two texts. */
export const nativeCompletionRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/completion',
    // Used by older clients of llama.cpp's server.
    alsoAt: ['/completions'],
    summary: "Continue a text, in llama.cpp's format",
    description: `${aboutNative} ${aboutStream} Also at /completions; OpenAI's are at /v1/completions.`,
    scopes: ['text'],
    spends: 'tokens',
    model: 'chosen',
    body: nativeCompletionSchema,
    example: { model: 'smollm2-135m-instruct', prompt: 'The capital of France is', n_predict: 8, temperature: 0 },
    answers: [
      {
        status: 200,
        description: 'The continuation; of several prompts a list.',
        content: {
          'application/json': Type.Union([nativeCompletionAnswerSchema, Type.Array(nativeCompletionAnswerSchema)]),
          ...events,
        },
      },
    ],
    refusals: modelRefusals,
    handle: (deps, settings) => {
      const parse = createNativeCompletionParser(settings)
      return async (call) => {
        const { incoming, caller, options } = call
        const body = synchronousBody(incoming)
        const parsed = parse(body.value)
        const model = chooseTextModel(deps.catalog, parsed.model, 'generate')
        refuseOverlong(model, { bytes: Math.ceil(body.byteLength / parsed.prompts.length), param: 'prompt' })
        const requests = await readAsTokens(
          call.work,
          { caller, model: model.id, parsed: { ...parsed, request: withAdapters(deps.catalog, parsed.request, model) } },
          options,
        )
        return answerNative(deps, call, { requests, several: parsed.several, delivery: parsed.delivery })
      }
    },
  },
  {
    method: 'POST',
    path: '/infill',
    summary: 'Fill the gap between two texts',
    description: `For models with fill-in-the-middle tokens, such as code models. ${aboutNative} ${aboutStream}`,
    scopes: ['text'],
    spends: 'tokens',
    model: 'chosen',
    body: infillSchema,
    example: { model: 'a-model-made-for-code', input_prefix: 'function add(a, b) {\n  return ', input_suffix: '\n}\n', n_predict: 16 },
    answers: [
      { status: 200, description: 'The text for the gap.', content: { 'application/json': nativeCompletionAnswerSchema, ...events } },
    ],
    refusals: modelRefusals,
    handle: (deps, settings) => {
      const parse = createInfillParser(settings)
      return async (call) => {
        const { incoming, caller, options } = call
        const body = synchronousBody(incoming)
        const { gap, ...parsed } = parse(body.value)
        const model = chooseTextModel(deps.catalog, parsed.model, 'generate')
        refuseOverlong(model, { bytes: body.byteLength, param: 'prompt' })
        const read = await readAsTokens(
          call.work,
          { caller, model: model.id, parsed: { ...parsed, request: withAdapters(deps.catalog, parsed.request, model) } },
          options,
        )
        const requests = read.map((request) =>
          request.input.type === 'prompt' ? { ...request, input: { ...request.input, gap } } : request,
        )
        return answerNative(deps, call, { requests, several: false, delivery: parsed.delivery })
      }
    },
  },
]

interface NativeWork {
  /** At least one. */
  readonly requests: readonly TextRequest[]
  /** Whether the answer is a list. */
  readonly several: boolean
  readonly delivery: NativeDelivery
}

/** Runs requests one after the other and answers in llama.cpp's format. Only a single request can be streamed. */
async function answerNative(deps: RouteDependencies, call: Call, { requests, several, delivery }: NativeWork): Promise<object> {
  const { caller, options, work } = call
  const answers: object[] = []
  for (const [index, request] of requests.entries()) {
    const timer = new NativeTimer(deps.clock)
    const parts = generateText(work, { caller, request }, options)
    if (delivery.stream)
      return streamText(deps, call, parts, {
        encode: (started) => encodeNativeStream(request, started, { timer, delivery }),
        ping: pingComment,
      })
    const { choices } = await collectText(timed(parts, timer))
    const [choice = { text: '', thoughts: '', toolCalls: [], logprobs: [], reason: 'stop' }] = choices
    answers.push(encodeNativeCompletion(request, { index, choice, timer }, delivery))
  }
  return several ? answers : (answers[0] ?? {})
}

async function* timed<Part extends Parameters<NativeTimer['note']>[0]>(
  parts: AsyncIterable<Part>,
  timer: NativeTimer,
): AsyncGenerator<Part, void, undefined> {
  for await (const part of parts) {
    timer.note(part)
    yield part
  }
}
