import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { TextRequest } from '../../../core/text-generation.ts'
import { collectText } from '../../../operations/collect-text.ts'
import { generateText } from '../../../operations/generate-text.ts'
import { streamText } from '../../answers/stream-text.ts'
import { synchronousBody } from '../../body/read-body.ts'
import { callerOf, requireScope } from '../../caller.ts'
import { clientSignal } from '../../client-signal.ts'
import type { RouteDependencies } from '../../http-dependencies.ts'
import type { HttpSettings } from '../../http-settings.ts'
import { interactiveWork } from '../../interactive-work.ts'
import { refuseOverlong } from '../../limits/overlong-prompt.ts'
import { chooseTextModel } from '../../require-text-model.ts'
import { pingComment } from '../../wire/event-data.ts'
import { encodeNativeCompletion } from '../../wire/llama-cpp/completion.ts'
import { createNativeCompletionParser, type NativeDelivery } from '../../wire/llama-cpp/completion-request.ts'
import { encodeNativeStream } from '../../wire/llama-cpp/completion-stream.ts'
import { NativeTimer } from '../../wire/llama-cpp/timings.ts'
import { readAsTokens } from './read-as-tokens.ts'

/** POST /completion, and /completions as older clients of llama.cpp's server name it: texts that go on from prompts. */
export function registerCreateNativeCompletion(api: FastifyInstance, deps: RouteDependencies, settings: HttpSettings): void {
  const parse = createNativeCompletionParser(settings)
  for (const path of ['/completion', '/completions'])
    api.post(path, { config: { spends: 'tokens' } }, async (incoming, reply) => {
      const caller = callerOf(incoming)
      requireScope(caller, ['text'])
      const body = synchronousBody(incoming)
      const parsed = parse(body.value)
      const model = chooseTextModel(deps.catalog, parsed.model, 'generate')
      refuseOverlong(model, { bytes: Math.ceil(body.byteLength / parsed.prompts.length), param: 'prompt' })
      const requests = await readAsTokens({ ...deps, ...settings }, { caller, model: model.id, parsed }, { signal: clientSignal(reply) })
      return answerNative(deps, settings, { incoming, reply, requests, several: parsed.several, delivery: parsed.delivery })
    })
}

/** Runs requests one after the other and answers in llama.cpp's words; one of them may be streamed. */
export async function answerNative(
  deps: RouteDependencies,
  settings: HttpSettings,
  {
    incoming,
    reply,
    requests,
    several = false,
    delivery,
  }: {
    readonly incoming: FastifyRequest
    readonly reply: FastifyReply
    /** At least one. */
    readonly requests: readonly TextRequest[]
    /** Whether the answer is a list. */
    readonly several?: boolean
    readonly delivery: NativeDelivery
  },
): Promise<object> {
  const caller = callerOf(incoming)
  const work = interactiveWork(deps, settings, incoming)
  const signal = clientSignal(reply)
  const answers: object[] = []
  for (const [index, request] of requests.entries()) {
    const timer = new NativeTimer(deps.clock)
    const parts = generateText(work, { caller, request, kind: 'completion' }, { signal })
    if (delivery.stream)
      return streamText(deps, { incoming, reply, caller }, parts, {
        encode: (started, { isEarly }) => encodeNativeStream(request, started, { timer, delivery, isEarly }),
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
