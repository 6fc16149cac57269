import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../../core/access-token.ts'
import type { JsonObject } from '../../../core/json-value.ts'
import type { TextRequest } from '../../../core/text-generation.ts'
import { unstoppable } from '../../../core/waiting.ts'
import { collectText } from '../../../operations/collect-text.ts'
import { cancelInference } from '../../../operations/deferred/cancel-inference.ts'
import { submitInference } from '../../../operations/deferred/submit-inference.ts'
import { generateText } from '../../../operations/generate-text.ts'
import { recordDeferred } from '../../answers/record-deferred.ts'
import { streamText } from '../../answers/stream-text.ts'
import { synchronousBody } from '../../body/read-body.ts'
import { withModelDefaults } from '../../body/with-model-defaults.ts'
import { callerOf, requireScope } from '../../caller.ts'
import { clientSignal } from '../../client-signal.ts'
import type { RouteDependencies } from '../../http-dependencies.ts'
import type { HttpSettings } from '../../http-settings.ts'
import { interactiveWork } from '../../interactive-work.ts'
import { refuseOverlong } from '../../limits/overlong-prompt.ts'
import { longestAnswer, requireTextModel } from '../../require-text-model.ts'
import { expectOutputBytes } from '../../wire/deferred/output-size.ts'
import { pingComment } from '../../wire/event-data.ts'
import { encodeCompaction, parseCompactRequest } from '../../wire/responses/compaction.ts'
import { encodeFinished, encodeResponse, type ResponseHead, startResponse } from '../../wire/responses/response.ts'
import { parseResponseRequest, type ResponseBody, readResponseRequest } from '../../wire/responses/response-request.ts'
import { encodeResponseStream } from '../../wire/responses/response-stream.ts'
import { itemsBefore, keepResponse, type ResponseDependencies } from './kept-response.ts'

/** POST /v1/responses: a conversation in the words of OpenAI's Responses, as JSON, as a stream, or worked on in the background. */
export function registerCreateResponse(api: FastifyInstance, routeDeps: RouteDependencies, settings: HttpSettings): void {
  const deps = { ...routeDeps, mostDocumentBytes: settings.mostDocumentBytes }
  const answer = async (incoming: FastifyRequest, reply: FastifyReply): Promise<object> => {
    const caller = callerOf(incoming)
    requireScope(caller, ['text'])
    const received = synchronousBody(incoming)
    const body = parseResponseRequest(withModelDefaults(deps.catalog, received.value, ['temperature', 'topP']))
    const request = await readConversation(deps, { caller, body, bytes: received.byteLength }, { signal: clientSignal(reply) })
    const asked: Asked = { incoming, reply, caller, body, request, head: startResponse(deps.clock) }
    return body.background === true ? answerLater(deps, asked) : answerNow(deps, settings, asked)
  }
  // The second for clients that were given an address without /v1.
  for (const path of ['/v1/responses', '/responses']) api.post(path, { config: { spends: 'tokens' } }, answer)
}

/** POST /v1/responses/compact: a conversation as one item, which the model sums up. */
export function registerCompactResponse(api: FastifyInstance, routeDeps: RouteDependencies, settings: HttpSettings): void {
  const deps = { ...routeDeps, mostDocumentBytes: settings.mostDocumentBytes }
  api.post('/v1/responses/compact', { config: { spends: 'tokens' } }, async (incoming, reply) => {
    const caller = callerOf(incoming)
    requireScope(caller, ['text'])
    const received = synchronousBody(incoming)
    const body = parseCompactRequest(received.value)
    const options = { signal: clientSignal(reply) }
    const request = await readConversation(deps, { caller, body, bytes: received.byteLength }, options)
    const parts = generateText(interactiveWork(deps, settings, incoming), { caller, request, kind: 'chat' }, options)
    return encodeCompaction(startResponse(deps.clock), await collectText(parts))
  })
}

/** The request of a body behind the conversation that it goes on from. @param asked.bytes Of the body. */
async function readConversation(
  deps: RouteDependencies & ResponseDependencies,
  { caller, body, bytes: own }: { readonly caller: Caller; readonly body: ResponseBody; readonly bytes: number },
  options: { readonly signal: AbortSignal },
): Promise<TextRequest> {
  const model = requireTextModel(deps.catalog, body.model, 'generate')
  const check = (bytes: number) => refuseOverlong(model, { bytes: bytes + own, param: 'messages' })
  check(0)
  const earlier = await itemsBefore(deps, { accountId: caller.accountId, previous: body.previous_response_id }, check, options)
  return readResponseRequest(body, earlier, { tokens: longestAnswer(model) })
}

interface Asked {
  readonly incoming: FastifyRequest
  readonly reply: FastifyReply
  readonly caller: Caller
  readonly body: ResponseBody
  readonly request: TextRequest
  readonly head: ResponseHead
}

async function answerNow(
  deps: RouteDependencies & ResponseDependencies,
  settings: HttpSettings,
  { incoming, reply, caller, body, request, head }: Asked,
): Promise<object> {
  const options = { signal: clientSignal(reply) }
  const keep = async (response: JsonObject): Promise<void> => {
    if (body.store === false) return
    await keepResponse(deps, { accountId: caller.accountId, id: head.id }, { response, body, inference: null }, options)
  }
  const parts = generateText(interactiveWork(deps, settings, incoming), { caller, request, kind: 'chat' }, options)
  if (body.stream === true)
    return streamText(deps, { incoming, reply, caller }, parts, {
      encode: (started) => encodeResponseStream(head, body, started, keep),
      ping: pingComment,
    })
  const response = encodeFinished(head, body, await collectText(parts))
  await keep(response)
  return response
}

async function answerLater(deps: ResponseDependencies, { incoming, reply, caller, body, request, head }: Asked): Promise<object> {
  const { accountId, tokenId } = caller
  const options = { signal: clientSignal(reply) }
  const work = { kind: 'chat', request, ...(tokenId !== null && { tokenId }) } as const
  const submission = {
    accountId,
    work,
    priority: 'normal',
    idempotency: null,
    webhookUrl: null,
    outputBytes: expectOutputBytes(work),
  } as const
  const { inference } = await submitInference(deps, submission, options)
  recordDeferred(deps, { incoming, tokenId: caller.tokenId, work, inference })
  const response = encodeResponse(head, body, { status: 'queued' })
  try {
    await keepResponse(deps, { accountId, id: head.id }, { response, body, inference: inference.id }, options)
  } catch (error) {
    // Nobody could ever ask for it.
    await cancelInference(deps, { id: inference.id, accountId }, unstoppable)
    throw error
  }
  return response
}
