import Type from 'typebox'
import { type Scope, scopes } from '../../core/access-token.ts'
import type { Inference } from '../../core/inference.ts'
import {
  cancelInference,
  findInference,
  type InferenceTarget,
  listInferences,
  requestNotFound,
  waitForInference,
  watchInference,
} from '../../operations/deferred/inferences.ts'
import { findOutput, readStored, readWritten } from '../../operations/deferred/outputs.ts'
import { afterFirst } from '../answers/first-part.ts'
import { sendChunks } from '../answers/send-chunks.ts'
import { sendEvents } from '../answers/send-events.ts'
import { requireScope } from '../caller.ts'
import type { RouteDependencies } from '../http-dependencies.ts'
import { refuseOthers } from '../known-query.ts'
import type { Call, Route } from '../route.ts'
import { chatCompletionSchema } from '../wire/chat/text-answers.ts'
import { encodeInference, encodeInferenceStream, inferenceListSchema, inferenceSchema } from '../wire/deferred/inference.ts'
import { readListQuery, readPollWait } from '../wire/deferred/queries.ts'
import { pingComment } from '../wire/event-data.ts'
import { imageResultSchema } from '../wire/images/image-result.ts'
import { limitSchema } from '../wire/page.ts'
import { keptStreamQuery } from '../wire/responses/kept-stream.ts'
import { answerKeptResponse, includeQuery, isKeptResponse } from './responses/kept-responses.ts'
import { header, inPath, inQuery, json, media } from './row-parts.ts'

const id = inPath('id', 'The response_id.')
const ofItsKind = 'the scope of the original request: `text` for chat completions, `image` for images'

/** The account's deferred requests: list, poll, watch, cancel, and fetch the stored output. */
export const requestRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/v1/requests',
    origin: 'asyncUrl',
    summary: 'List your asynchronous requests, newest first',
    scopes: ['read'],
    parameters: [
      inQuery('status', 'Only requests with this status.', Type.Enum(['pending', 'running', 'completed'])),
      inQuery('limit', 'Entries per page.', limitSchema),
      inQuery('after', 'The `next` of the previous page.'),
    ],
    answers: [json('A page of requests.', inferenceListSchema)],
    refusals: [400, 429],
    handle:
      (deps) =>
      async ({ caller: { accountId }, query, options }) => {
        const page = await listInferences(deps, { accountId, ...readListQuery(query) }, options)
        const address = deps.addresses()
        return {
          object: 'list',
          data: page.inferences.map((inference) => encodeInference(address, inference)),
          has_more: page.next !== null,
          next: page.next,
        }
      },
  },
  {
    method: 'GET',
    path: '/v1/requests/{id}',
    origin: 'asyncUrl',
    summary: 'Poll an asynchronous request',
    scopes,
    scopeRule: `\`read\`, or ${ofItsKind}`,
    parameters: [
      id,
      inQuery('wait', 'Wait for completion, at most this many seconds.', Type.Number({ minimum: 0, maximum: 60 })),
      header('Prefer', '`wait=<seconds>` does the same.'),
    ],
    answers: [json('The state of the request, with Retry-After until it is completed.', inferenceSchema)],
    refusals: [400, 404, 429],
    takesLonger: true,
    handle: (deps) => (call) => pollRequest(deps, call),
  },
  {
    method: 'GET',
    path: '/v1/requests/{id}/events',
    origin: 'asyncUrl',
    summary: 'Follow an asynchronous request',
    description:
      'Named events: `status` with the poll body, `progress` with step and total, `preview` with image_b64, `text` with new text of a chat model, as in the chunks of a stream. Ends when the request is completed.',
    scopes,
    scopeRule: `\`read\`, or ${ofItsKind}`,
    parameters: [id],
    answers: [media('The events of the request.', 'text/event-stream')],
    refusals: [404, 429],
    refusesHead: true,
    handle: (deps) => async (call) => {
      const { reply, options, onFailure } = call
      const target = readTarget(call)
      requireReadable(call, await findInference(deps, target, options))
      using _place = await deps.places.take(target.accountId, 'events')
      const updates = await afterFirst(watchInference(deps, target, options))
      const read = (inference: Inference) => readWritten(deps, inference, options)
      await sendEvents({ clock: deps.clock, onFailure }, reply, encodeInferenceStream(deps.addresses(), updates, read), {
        ping: { text: pingComment },
      })
      return reply
    },
  },
  {
    method: 'DELETE',
    path: '/v1/requests/{id}',
    origin: 'asyncUrl',
    summary: 'Cancel an asynchronous request',
    description: 'A pending request is cancelled at once, a running one at its next denoising step or token.',
    scopes: ['text', 'image'],
    scopeRule: ofItsKind,
    parameters: [id],
    answers: [json('The current state of the request.', inferenceSchema)],
    refusals: [404, 429],
    handle: (deps) => async (call) => {
      const target = readTarget(call)
      requireWritable(call, await findInference(deps, target, call.options))
      return encodeInference(deps.addresses(), await cancelInference(deps, target, call.options))
    },
  },
  {
    method: 'GET',
    path: '/v1/responses/{id}',
    origin: 'asyncUrl',
    summary: 'Fetch the output of an asynchronous request',
    description:
      'The JSON of the synchronous route, for 24 hours; for a failed request, its error with its own status. An id `resp_…` names a kept response: `stream=true` sends it as events, starting after the number `starting_after`; a background response is followed to its end.',
    scopes,
    scopeRule: `\`read\`, or ${ofItsKind}`,
    parameters: [id, header('If-None-Match', 'An ETag that you have.')],
    idleQuery: [...includeQuery, ...keptStreamQuery],
    answers: [
      json('The output.', Type.Union([imageResultSchema, chatCompletionSchema])),
      { status: 304, description: 'The output has not changed.' },
    ],
    refusals: [400, 404, 409, 410, 422, 429, 503, 504],
    takesLonger: true,
    handle: (deps) => (call) => (isKeptResponse(call.param('id')) ? answerKeptResponse(deps, call) : sendOutput(deps, call)),
  },
]

/** The state of a deferred request, at once or held until it is completed. */
async function pollRequest(deps: RouteDependencies, call: Call): Promise<object> {
  const { incoming, reply, query, options } = call
  const wait = readPollWait(query.wait, incoming.headers.prefer)
  const target = readTarget(call)
  using _place = wait.ms === 0 ? null : await deps.places.take(target.accountId, 'polls')
  const find = async () => {
    const inference = await (wait.ms === 0
      ? findInference(deps, target, options)
      : waitForInference(deps, { ...target, waitMs: wait.ms }, options))
    requireReadable(call, inference)
    return { inference, written: await readWritten(deps, inference, options) }
  }
  const { inference, written } = await deps.deadline.keep(reply, find, wait.ms)
  if (inference.status !== 'completed') reply.header('retry-after', '1')
  if (wait.preferred) reply.header('preference-applied', `wait=${wait.ms / 1000}`)
  return reply.header('cache-control', 'no-store').send(encodeInference(deps.addresses(), inference, written))
}

/** Opening an output reads all of it, so the deadline covers only outputs up to this size; a larger one takes as long as its bytes need. */
const maxPromptBytes = 1024 * 1024

/** The stored output, byte for byte the same every time. */
async function sendOutput(deps: RouteDependencies, call: Call): Promise<object> {
  const { incoming, reply, caller, query, options, onFailure } = call
  refuseOthers(query, [])
  const target = readTarget(call)
  const { output, expiresAt } = await deps.deadline.keep(reply, async () => {
    if (!caller.scopes.includes('read')) requireReadable(call, await findInference(deps, target, options))
    return findOutput(deps, target, options)
  })
  const etag = `"${output.sha256}"`
  reply.header('etag', etag).header('cache-control', 'private, no-cache').header('expires', new Date(expiresAt).toUTCString())
  if (matches(incoming.headers['if-none-match'], etag)) return reply.code(304).send()
  const find = () => findOutput(deps, target, options)
  const open = () => readStored(() => deps.outputs.open(output, options), find)
  const isLarge = output.bytes > maxPromptBytes
  const touch = () => deps.outputs.readPart(output, { offset: 0, length: 1 }, options)
  if (isLarge) await deps.deadline.keep(reply, () => readStored(touch, find))
  const chunks = await (isLarge ? open() : deps.deadline.keep(reply, open))
  await sendChunks({ clock: deps.clock, onFailure }, reply, { contentType: output.contentType, bytes: output.bytes, chunks })
  return reply
}

/** Weak comparison (RFC 9110, section 13.1.2): a proxy's `W/` prefix does not matter. */
function matches(sent: string | undefined, etag: string): boolean {
  const tags = (sent ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag) || tags.includes('*')
}

/**
 * The inference of a path and its account.
 *
 * @throws {ServiceError} `request_not_found` for a text that cannot be an id, without a call to the store.
 */
function readTarget({ caller: { accountId }, param }: Call): InferenceTarget {
  const name = param('id')
  if (!/^[\w-]{1,128}$/.test(name)) throw requestNotFound()
  return { id: name, accountId }
}

const scopeOf: Readonly<Record<Inference['kind'], Scope>> = { image: 'image', chat: 'text', embedding: 'text' }

/** @throws {ServiceError} `insufficient_scope` unless the token may read everything or create such inferences. */
function requireReadable({ caller }: Call, { kind }: Pick<Inference, 'kind'>): void {
  requireScope(caller, ['read', scopeOf[kind]])
}

/** @throws {ServiceError} `insufficient_scope` unless the token may create such inferences. */
function requireWritable({ caller }: Call, { kind }: Pick<Inference, 'kind'>): void {
  requireScope(caller, [scopeOf[kind]])
}
