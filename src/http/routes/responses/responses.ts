import type { Caller } from '../../../core/access-token.ts'
import { listedModels } from '../../../core/find-descriptor.ts'
import type { JsonObject } from '../../../core/json-value.ts'
import type { ModelCatalog } from '../../../core/ports/model-catalog.ts'
import type { TextRequest } from '../../../core/text-generation.ts'
import { type Abortable, neverAborted } from '../../../core/waiting.ts'
import { collectText } from '../../../operations/collect-text.ts'
import { cancelInference } from '../../../operations/deferred/inferences.ts'
import { submitInference } from '../../../operations/deferred/submit-inference.ts'
import { generateText } from '../../../operations/generate-text.ts'
import { tokenize } from '../../../operations/read-tokens.ts'
import { recordDeferred } from '../../answers/answer-deferred.ts'
import { streamText } from '../../answers/stream-text.ts'
import { synchronousBody } from '../../body/read-body.ts'
import { requireObject } from '../../faults/body-checker.ts'
import { textFaultCodes } from '../../faults/refuse-faults.ts'
import type { RouteDependencies } from '../../http-dependencies.ts'
import type { Call, Route } from '../../route.ts'
import { withAdapters } from '../../wire/chat/fields/adapter-fields.ts'
import { refuseOverlong } from '../../wire/chat/overlong-prompt.ts'
import { chooseTextModel, longestAnswer, requireTextModel, useOf } from '../../wire/chat/require-text-model.ts'
import { withModelDefaults } from '../../wire/chat/with-model-defaults.ts'
import { expectOutputBytes } from '../../wire/deferred/output-size.ts'
import { pingComment } from '../../wire/event-data.ts'
import { compactionSchema, compactRequestSchema, encodeCompaction, parseCompactRequest } from '../../wire/responses/compaction.ts'
import { pictureCharacters } from '../../wire/responses/read-items.ts'
import { encodeFinished, encodeResponse, type ResponseHead, responseSchema, startResponse } from '../../wire/responses/response.ts'
import {
  parseResponseRequest,
  type ResponseBody,
  readResponseRequest,
  responseRequestSchema,
} from '../../wire/responses/response-request.ts'
import { encodeResponseStream } from '../../wire/responses/response-stream.ts'
import { inputTokensSchema } from '../../wire/tokens/token-answers.ts'
import { events, json, modelRefusals } from '../row-parts.ts'
import { itemsBefore, keepFinished, keepResponse, requireResponseRoom } from './kept-response.ts'
import { withReferencedItems } from './referenced-items.ts'

const model = 'smollm2-135m-instruct'

/** POST /v1/responses…: OpenAI's Responses, as JSON, as a stream or in the background; compaction; token counts. */
export const responseRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/v1/responses',
    // For clients configured with an address without /v1.
    alsoAt: ['/responses'],
    origin: 'textUrl',
    summary: "Continue a conversation, in the format of OpenAI's Responses",
    description:
      'Kept for 24 hours unless `store` is false. With `stream: true`, the response is a stream of named, numbered events that ends with `response.completed`, `response.incomplete` or `response.failed`. With `background: true` it runs in the background: poll GET /v1/responses/resp_…. Also at /responses.',
    scopes: ['text'],
    spends: 'tokens',
    model: 'named',
    body: responseRequestSchema,
    example: { model, instructions: 'Answer in one word.', input: 'What is the capital of France?' },
    answers: [{ status: 200, description: 'The response.', content: { 'application/json': responseSchema, ...events } }],
    refusals: modelRefusals,
    handle: (deps) => {
      return async (call) => {
        const received = await receiveBody(deps, call)
        const body = parseResponseRequest(withModelDefaults(deps.catalog, received.value, ['temperature', 'topP']))
        const request = await readConversation(deps, { caller: call.caller, body, bytes: received.byteLength }, call.options)
        const requested: Requested = { body, request, head: startResponse(deps.clock) }
        if (body.store !== false) await requireResponseRoom(deps, call.caller.accountId, requested, call.options)
        return body.background === true ? answerLater(deps, call, requested) : answerNow(deps, call, requested)
      }
    },
  },
  {
    method: 'POST',
    path: '/v1/responses/compact',
    origin: 'asyncUrl',
    summary: 'Compact a conversation into one item',
    description:
      'The model writes a summary of at most 2 048 tokens. Send the returned item first in the next `input`, in place of the conversation.',
    scopes: ['text'],
    spends: 'tokens',
    body: compactRequestSchema,
    example: { model, input: [{ role: 'user', content: 'What is the capital of France?' }] },
    answers: [json('The item.', compactionSchema)],
    refusals: modelRefusals,
    handle: (deps) => {
      return async (call) => {
        const { caller, options, work } = call
        const received = await receiveBody(deps, call)
        const body = parseCompactRequest(received.value)
        const request = await readConversation(deps, { caller, body, bytes: received.byteLength }, options)
        const parts = generateText(work, { caller, request }, options)
        return encodeCompaction(startResponse(deps.clock), await collectText(parts))
      }
    },
  },
  {
    method: 'POST',
    path: '/v1/responses/input_tokens',
    origin: 'asyncUrl',
    summary: "Count the tokens of a response's input",
    description:
      'Takes the body of a response and returns only the number of tokens of its input, including the earlier conversation. Without `model`, the first text model counts them.',
    scopes: ['text'],
    largeBody: true,
    model: 'chosen',
    body: responseRequestSchema,
    example: { model, input: 'What is the capital of France?' },
    answers: [json('The number of tokens.', inputTokensSchema)],
    refusals: modelRefusals,
    handle: (deps) => {
      return async (call) => {
        const { caller, work, options } = call
        const received = await receiveBody(deps, call)
        const given = requireObject(received.value, textFaultCodes)
        const body = parseResponseRequest({ model: firstModel(deps.catalog), input: '', ...given })
        const found = requireTextModel(deps.catalog, body.model, 'generate')
        const own = received.byteLength - pictureCharacters(body.input)
        const check = (bytes: number) => refuseOverlong(found, { bytes: bytes + own, param: 'messages' })
        check(0)
        const earlier = await itemsBefore(deps, { accountId: caller.accountId, previous: body.previous_response_id }, check, options)
        const { input } = readResponseRequest(body, earlier, { tokens: 1 })
        if (input.type !== 'chat') throw new TypeError('A response became something else')
        requireTextModel(deps.catalog, body.model, useOf(input, 'generate'))
        const { result } = await tokenize(work, { caller, request: { model: found.id, input, spelled: false } }, options)
        return { object: 'response.input_tokens', input_tokens: result.tokens.length }
      }
    },
  },
]

/** The model that counts tokens when the request names none: the first text model. */
function firstModel(catalog: ModelCatalog): string {
  return chooseTextModel(catalog, listedModels(catalog).find((each) => each.kind === 'text' && each.generates !== false)?.id, 'generate').id
}

/** The body of a call, with the items that it refers to. */
async function receiveBody(
  deps: RouteDependencies,
  { incoming, caller: { accountId }, options }: Call,
): Promise<{ readonly value: unknown; readonly byteLength: number }> {
  const { value: body, byteLength, take } = synchronousBody(incoming)
  let added = 0
  const count = (bytes: number): void => {
    take(bytes)
    added += bytes
  }
  const value = await withReferencedItems(deps, { accountId, body, take: count }, options)
  return { value, byteLength: byteLength + added }
}

/**
 * Reads a body and the conversation that it continues.
 *
 * @param requested.bytes Of the body.
 */
async function readConversation(
  deps: RouteDependencies,
  { caller, body, bytes: own }: { readonly caller: Caller; readonly body: ResponseBody; readonly bytes: number },
  options: Abortable,
): Promise<TextRequest> {
  const model = requireTextModel(deps.catalog, body.model, 'generate')
  const check = (bytes: number) => refuseOverlong(model, { bytes: bytes + own - pictureCharacters(body.input), param: 'messages' })
  check(0)
  const earlier = await itemsBefore(deps, { accountId: caller.accountId, previous: body.previous_response_id }, check, options)
  const request = readResponseRequest(body, earlier, { tokens: longestAnswer(model) })
  return withAdapters(deps.catalog, request, requireTextModel(deps.catalog, body.model, useOf(request.input, 'generate')))
}

interface Requested {
  readonly body: ResponseBody
  readonly request: TextRequest
  readonly head: ResponseHead
}

async function answerNow(deps: RouteDependencies, call: Call, { body, request, head }: Requested): Promise<object> {
  const { incoming, work, caller, options } = call
  const keep = async (response: JsonObject): Promise<JsonObject> =>
    body.store === false ? response : keepFinished(deps, { accountId: caller.accountId, id: head.id }, { response, body }, options)
  const complete = incoming.latePictures?.putInto({ input: body.input })
  const parts = generateText(work, { caller, request, complete }, options)
  if (body.stream === true)
    return streamText(deps, call, parts, {
      encode: (started) => encodeResponseStream(head, body, started, keep),
      ping: pingComment,
    })
  return keep(encodeFinished(head, body, await collectText(parts)))
}

/** Queues a background response. If its id is available too late for the answer, it is cancelled, because no client could ask for it. */
async function answerLater(deps: RouteDependencies, call: Call, requested: Requested): Promise<object> {
  const { accountId } = call.caller
  let isLate = false
  const cancel = (id: string) => cancelInference(deps, { id, accountId }, neverAborted)
  try {
    return await deps.deadline.keep(call.reply, async () => {
      const { inference, response } = await queueResponse(deps, call, requested)
      if (isLate) await cancel(inference)
      return response
    })
  } catch (error) {
    isLate = true
    throw error
  }
}

async function queueResponse(
  deps: RouteDependencies,
  { incoming, caller: { accountId, tokenId }, options }: Call,
  { body, request, head }: Requested,
): Promise<{ readonly inference: string; readonly response: JsonObject }> {
  const work = { kind: 'chat', request } as const
  const submission = {
    accountId,
    tokenId,
    traceparent: deps.observer.traceparent?.() ?? null,
    work,
    priority: 'normal',
    idempotency: null,
    webhookUrl: null,
    outputBytes: expectOutputBytes(work),
  } as const
  const { inference } = await submitInference(deps, submission, options)
  recordDeferred(deps, { incoming, tokenId, work, inference })
  const response = encodeResponse(head, body, { status: 'queued' })
  try {
    await keepResponse(deps, { accountId, id: head.id }, { response, body, inference: inference.id }, options)
  } catch (error) {
    await cancelInference(deps, { id: inference.id, accountId }, neverAborted)
    throw error
  }
  return { inference: inference.id, response }
}
