import { ServiceError } from '../../../core/error.ts'
import type { JsonObject } from '../../../core/json-value.ts'
import type { Abortable } from '../../../core/waiting.ts'
import { cancelInference, waitForInference } from '../../../operations/deferred/inferences.ts'
import { listAnswers, removeAnswer } from '../../../operations/kept/kept-answers.ts'
import { sendEvents } from '../../answers/send-events.ts'
import { requireScope } from '../../caller.ts'
import type { RouteDependencies } from '../../http-dependencies.ts'
import type { Call, Route } from '../../route.ts'
import { pingComment } from '../../wire/event-data.ts'
import { encodePage, pageOf, readPageQuery } from '../../wire/page.ts'
import { encodeKeptStream, readStreamQuery } from '../../wire/responses/kept-stream.ts'
import { deletedResponseSchema, itemListSchema, responseListSchema, responseSchema } from '../../wire/responses/response.ts'
import { responseIncludes } from '../../wire/responses/response-request.ts'
import { inPath, json, pageParameters } from '../row-parts.ts'
import { findResponse, isResponseId, type KeptResponse, type ResponseTarget } from './kept-response.ts'

/** Accepted without effect: the content of a response is fixed when it is made. */
export const includeQuery = ['include[]', 'include'] as const

const id = inPath('id', 'The id of a kept response, `resp_…`.')
const page = pageParameters('desc')

/** Stored responses: list, list input, cancel, delete. GET /v1/responses/<id> belongs to deferred requests. */
export const keptResponseRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/v1/responses',
    origin: 'textUrl',
    summary: 'List stored responses',
    scopes: ['read', 'text'],
    parameters: page,
    answers: [json('A page of responses.', responseListSchema)],
    refusals: [400, 404, 429],
    handle:
      (deps) =>
      async ({ caller: { accountId }, query, options }) => {
        const kept = { ...readPageQuery(query, 'desc'), kind: 'response', accountId } as const
        const { values, more } = await listAnswers(deps, kept, options)
        return encodePage(
          values.flatMap(({ response }) => [Object(response)]),
          more,
        )
      },
  },
  {
    method: 'GET',
    path: '/v1/responses/{id}/input_items',
    origin: 'asyncUrl',
    summary: 'List the input of a stored response',
    scopes: ['read', 'text'],
    parameters: [id, ...page],
    idleQuery: includeQuery,
    answers: [json('A page of items.', itemListSchema)],
    refusals: [400, 404, 429],
    handle: (deps) => async (call) => {
      checkInclude(call.query)
      const query = readPageQuery(call.query, 'desc')
      return pageOf((await findResponse(deps, targetOf(call), call.options)).input, query, 'items')
    },
  },
  {
    method: 'POST',
    path: '/v1/responses/{id}/cancel',
    origin: 'asyncUrl',
    summary: 'Cancel a response in the background',
    scopes: ['text'],
    parameters: [id],
    answers: [json('The current response.', responseSchema)],
    refusals: [400, 404, 429],
    handle: (deps) => {
      return async (call) => {
        const target = targetOf(call)
        const { inference } = await findResponse(deps, target, call.options)
        if (inference === null)
          throw new ServiceError('invalid_request_error', 'Only a response of `background: true` that is not over yet can be cancelled.')
        await cancelInference(deps, { id: inference, accountId: target.accountId }, call.options)
        return (await findResponse(deps, target, call.options)).response
      }
    },
  },
  {
    method: 'DELETE',
    path: '/v1/responses/{id}',
    origin: 'asyncUrl',
    summary: 'Delete a stored response',
    description: 'One that still runs in the background is cancelled.',
    scopes: ['text'],
    parameters: [id],
    answers: [json('The response is deleted.', deletedResponseSchema)],
    refusals: [404, 429],
    handle: (deps) => {
      return async (call) => {
        const target = targetOf(call)
        const { inference } = await findResponse(deps, target, call.options)
        if (inference !== null) await cancelInference(deps, { id: inference, accountId: target.accountId }, call.options)
        await removeAnswer(deps, { kind: 'response', ...target }, call.options)
        return { id: target.id, object: 'response', deleted: true }
      }
    },
  },
]

/** Whether an id is that of a stored response; all others belong to deferred requests. */
export function isKeptResponse(id: string): boolean {
  return id.startsWith('resp_')
}

/**
 * GET /v1/responses/resp_…: a stored response in its current state.
 *
 * @throws {ServiceError} `insufficient_scope`.
 */
export async function answerKeptResponse(deps: RouteDependencies, call: Call): Promise<object> {
  const { reply, caller, query, options, onFailure } = call
  requireScope(caller, ['read', 'text'])
  checkInclude(query)
  const streamed = readStreamQuery(query)
  const target = targetOf(call)
  const first = await deps.deadline.keep(reply, () => findResponse(deps, target, options))
  if (streamed === null) return first.response
  const events = encodeKeptStream(followResponse(deps, target, first, options), streamed)
  await sendEvents({ clock: deps.clock, onFailure }, reply, events, { ping: { text: pingComment } })
  return reply
}

/** How long to wait for a background response before reading it again. */
const followMs = 30_000

/** Yields a response now and when it has ended. */
async function* followResponse(
  deps: RouteDependencies,
  target: ResponseTarget,
  first: KeptResponse,
  options: Abortable,
): AsyncGenerator<JsonObject, void, undefined> {
  yield first.response
  let { inference } = first
  while (inference !== null && !deps.events.closed) {
    await waitForInference(deps, { id: inference, accountId: target.accountId, waitMs: followMs }, options)
    const now = await findResponse(deps, target, options)
    inference = now.inference
    if (inference === null) yield now.response
  }
}

/**
 * The response of a path and its account.
 *
 * @throws {ServiceError} `not_found` for a text that cannot be an id, without a call to the store.
 */
function targetOf({ caller: { accountId }, param }: Call): ResponseTarget {
  const name = param('id')
  if (!isResponseId(name))
    throw new ServiceError('not_found', 'This response does not exist; it may have been deleted or is older than 24 hours.')
  return { accountId, id: name }
}

/** @throws {ServiceError} `invalid_request_error` for an unknown value. */
function checkInclude(query: Readonly<Record<string, unknown>>): void {
  const included = Object.entries(query).flatMap(([name, value]) => (/^include(\[|$)/.test(name) ? [value].flat() : []))
  const unknown = included.find((value) => !responseIncludes.some((known) => known === value))
  if (unknown === undefined) return
  throw new ServiceError('invalid_request_error', `\`include\` must be one of ${responseIncludes.join(', ')}.`, { param: 'include' })
}
