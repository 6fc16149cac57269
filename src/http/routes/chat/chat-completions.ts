import type { AnswerPlace } from '../../../core/chat/conversation.ts'
import { ServiceError } from '../../../core/error.ts'
import type { Inference } from '../../../core/inference.ts'
import { neverAborted } from '../../../core/waiting.ts'
import { collectText, emptyResult, passText, type TextResult } from '../../../operations/collect-text.ts'
import { beginAnswer } from '../../../operations/conversations/kept-answers.ts'
import { generateText } from '../../../operations/generate-text.ts'
import { requireRoom, warningOfKeeping } from '../../../operations/kept/kept-answers.ts'
import { answerDeferred } from '../../answers/answer-deferred.ts'
import { streamText } from '../../answers/stream-text.ts'
import { type ReceivedBody, receivedBody } from '../../body/read-body.ts'
import type { AsyncMode } from '../../headers/async-mode.ts'
import { readAnswerPlace, readDeferredHandling, refuseDeferredHeaders } from '../../headers/deferred-headers.ts'
import type { RouteDependencies } from '../../http-dependencies.ts'
import type { HttpSettings } from '../../http-settings.ts'
import type { Call, Route } from '../../route.ts'
import type { Answer } from '../../wire/answer.ts'
import { encodeChatCompletion } from '../../wire/chat/chat-completion.ts'
import { chatRequestSchema, createChatRequestParser, type ParsedChat } from '../../wire/chat/chat-request.ts'
import { encodeChatStream } from '../../wire/chat/chat-stream.ts'
import { startCompletion } from '../../wire/chat/completion.ts'
import { withAdapters } from '../../wire/chat/fields/adapter-fields.ts'
import { refuseStoring } from '../../wire/chat/fields/storing-fields.ts'
import { admitText } from '../../wire/chat/overlong-prompt.ts'
import { mostTokens } from '../../wire/chat/require-text-model.ts'
import { encodeStoredChat } from '../../wire/chat/stored/stored-chat.ts'
import { chatCompletionSchema } from '../../wire/chat/text-answers.ts'
import { withModelDefaults } from '../../wire/chat/with-model-defaults.ts'
import { NativeTimer } from '../../wire/llama-cpp/timings.ts'
import { deferredHeaders, events, modelRefusals, submitted } from '../row-parts.ts'
import { keepChat } from './stored-chats.ts'

/** POST /v1/chat/completions: as JSON, as a stream, or deferred. */
export const createChatCompletion: Route = {
  method: 'POST',
  path: '/v1/chat/completions',
  // Called by clients that were configured with an address without /v1.
  alsoAt: ['/chat/completions'],
  origin: 'textUrl',
  summary: 'Continue a conversation',
  description: 'With `stream: true`, the response is a stream of `data:` lines that ends with `data: [DONE]`. Also at /chat/completions.',
  scopes: ['text'],
  spends: 'tokens',
  model: 'named',
  parameters: deferredHeaders,
  body: chatRequestSchema,
  example: {
    model: 'smollm2-135m-instruct',
    messages: [{ role: 'user', content: 'What is the capital of France?' }],
    temperature: 0,
    max_tokens: 64,
  },
  answers: [{ status: 200, description: 'The answer.', content: { 'application/json': chatCompletionSchema, ...events } }, submitted],
  refusals: [...modelRefusals, 409],
  handle: (deps, settings) => {
    const parse = createChatRequestParser(settings)
    return async (call) => {
      const { incoming, caller, options } = call
      const { asyncMode: mode, ...body } = receivedBody(incoming)
      if (mode === 'off') refuseDeferredHeaders(incoming.headers)
      const { storing, delivery, tier, ...parsed } = parse(withModelDefaults(deps.catalog, body.value))
      if (mode !== 'off') refuseStoring(storing, 'asynchronous requests: their answers are always kept for 24 hours')
      const model = admitText(deps.catalog, parsed.request, { bytes: body.byteLength })
      const request = withAdapters(deps.catalog, { ...parsed.request, maxTokens: mostTokens(parsed.request, model) }, model)
      if (mode !== 'off') return answerLater(deps, settings, call, { mode, bytes: body.bytes, request, delivery })
      const { accountId } = caller
      const head = startCompletion(deps.clock, request.model, tier)
      const { metadata, messages, keep } = storing
      const encode = (result: TextResult): Answer<typeof chatCompletionSchema> => ({
        ...encodeChatCompletion(head, request, result),
        ...((keep || metadata !== null) && { metadata: metadata ?? {} }),
      })
      const store = (completion: Answer<typeof chatCompletionSchema>) => keepChat(deps, accountId, { completion, messages }, options)
      if (keep) await requireRoom(deps, { accountId, value: encodeStoredChat({ completion: encode(emptyResult), messages }) }, options)
      const complete = incoming.latePictures?.putInto({ messages: storing.messages })
      const parts = generateText(call.work, { caller, request, complete }, options)
      if (!delivery.stream) {
        const completion = encode(await collectText(parts))
        const warning = keep ? await warningOfKeeping(store(completion)) : null
        return warning === null ? completion : { ...completion, warnings: [...(completion.warnings ?? []), warning] }
      }
      const passed = keep ? passText(parts, (result) => store(encode(result))) : parts
      const { ownerSeesCauses } = caller
      const timer = delivery.timings === true ? new NativeTimer(deps.clock) : null
      return streamText(deps, call, passed, {
        encode: (started) => encodeChatStream(head, request, started, { ...delivery, ownerSeesCauses, timer }),
        // Clients of the original service accept only `data:` lines.
        ping: null,
      })
    }
  },
}

function answerLater(
  deps: RouteDependencies,
  settings: HttpSettings,
  call: Call,
  {
    mode,
    bytes,
    request,
    delivery,
  }: Pick<ParsedChat, 'request' | 'delivery'> & { readonly mode: AsyncMode; readonly bytes: ReceivedBody['bytes'] },
): Promise<object> {
  const { incoming, path, caller } = call
  if (delivery.stream)
    throw new ServiceError('invalid_request_error', 'Leave `stream` out of asynchronous requests; poll for the answer instead.', {
      param: 'stream',
    })
  const handling = readDeferredHandling(incoming.headers, { ...settings.deferred, route: path, body: bytes })
  if (handling.previews)
    throw new ServiceError('invalid_request_error', 'Leave the header X-Service-Preview out; only images have previews.', {
      param: 'x-service-preview',
    })
  const place = caller.tokenId === null ? readAnswerPlace(incoming.headers) : null
  const work = { kind: 'chat', request, ...(place && { place }) } as const
  const onAccepted = async (inference: Inference) => noteBeginning(deps, { place, inference, onFailure: (error) => call.onFailure(error) })
  return answerDeferred(deps, { incoming, reply: call.reply, mode }, { work, handling, onAccepted })
}

/** Records in the conversation that its answer is being written. When that fails, the console keeps what it reads. */
async function noteBeginning(
  deps: RouteDependencies,
  { place, inference, onFailure }: { readonly place: AnswerPlace | null; readonly inference: Inference } & Pick<Call, 'onFailure'>,
): Promise<Readonly<Record<string, string>>> {
  if (place === null) return {}
  try {
    await beginAnswer(deps, { inference, place }, neverAborted)
    return { 'x-service-turn': 'kept' }
  } catch (error) {
    // The request is accepted and runs: its client must get the id even if this failed.
    if (!(error instanceof ServiceError)) onFailure(error)
    return {}
  }
}
