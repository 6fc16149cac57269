import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../../core/error.ts'
import type { JsonObject } from '../../../core/json-value.ts'
import { cancelInference } from '../../../operations/deferred/cancel-inference.ts'
import { waitForInference } from '../../../operations/deferred/wait-for-inference.ts'
import { listAnswers, removeAnswer } from '../../../operations/kept/kept-answers.ts'
import { sendEvents } from '../../answers/send-events.ts'
import { callerOf, requireScope } from '../../caller.ts'
import { clientSignal } from '../../client-signal.ts'
import type { HttpDependencies } from '../../http-dependencies.ts'
import type { HttpSettings } from '../../http-settings.ts'
import type { InferenceRoute } from '../../inference-target.ts'
import { encodePage, pageOf, pageQuery, readPageQuery } from '../../wire/page.ts'
import { encodeKeptStream, readStreamQuery } from '../../wire/responses/kept-stream.ts'
import { responseIncludes } from '../../wire/responses/response-request.ts'
import { findResponse, type KeptResponse, type ResponseDependencies, type ResponseTarget } from './kept-response.ts'

/** What a response says besides is settled when it is made, so that these change nothing here. */
export const includeQuery = ['include[]', 'include'] as const

/** Kept responses: listed, their input, cancelled, deleted. GET /v1/responses/<id> is `fetch-response.ts`. */
export function registerKeptResponses(api: FastifyInstance, httpDeps: HttpDependencies, settings: HttpSettings): void {
  const deps = { ...httpDeps, mostDocumentBytes: settings.mostDocumentBytes }

  api.get('/v1/responses', { config: { query: pageQuery } }, async (incoming, reply) => {
    requireScope(callerOf(incoming), ['read', 'text'])
    const query = readPageQuery(Object(incoming.query), 'desc')
    const kept = { ...query, kind: 'response', accountId: callerOf(incoming).accountId } as const
    const { values, more } = await listAnswers(deps, kept, optionsOf(reply))
    return encodePage(
      values.flatMap(({ response }) => [Object(response)]),
      more,
    )
  })

  api.get(
    '/v1/responses/:id/input_items',
    { config: { query: [...pageQuery, ...includeQuery] } },
    async (incoming: FastifyRequest<InferenceRoute>, reply) => {
      requireScope(callerOf(incoming), ['read', 'text'])
      checkInclude(Object(incoming.query))
      const query = readPageQuery(Object(incoming.query), 'desc')
      return pageOf((await findResponse(deps, targetOf(incoming), optionsOf(reply))).input, query, 'items')
    },
  )

  api.post('/v1/responses/:id/cancel', async (incoming: FastifyRequest<InferenceRoute>, reply) => {
    requireScope(callerOf(incoming), ['text'])
    const target = targetOf(incoming)
    const { inference } = await findResponse(deps, target, optionsOf(reply))
    if (inference === null)
      throw new ServiceError('invalid_request_error', 'Only a response of `background: true` that is not over yet can be cancelled.')
    await cancelInference(deps, { id: inference, accountId: target.accountId }, optionsOf(reply))
    return (await findResponse(deps, target, optionsOf(reply))).response
  })

  api.delete('/v1/responses/:id', async (incoming: FastifyRequest<InferenceRoute>, reply) => {
    requireScope(callerOf(incoming), ['text'])
    const target = targetOf(incoming)
    const { inference } = await findResponse(deps, target, optionsOf(reply))
    if (inference !== null) await cancelInference(deps, { id: inference, accountId: target.accountId }, optionsOf(reply))
    await removeAnswer(deps, { kind: 'response', ...target }, optionsOf(reply))
    return { id: target.id, object: 'response', deleted: true }
  })
}

/** Whether an id is that of a kept response; every other is of the seed's deferred requests. */
export function isKeptResponse(id: string): boolean {
  return id.startsWith('resp_')
}

/** GET /v1/responses/resp_…: a kept response as it is now. */
export async function answerKeptResponse(
  httpDeps: HttpDependencies,
  settings: HttpSettings,
  incoming: FastifyRequest<InferenceRoute>,
  reply: FastifyReply,
): Promise<object> {
  requireScope(callerOf(incoming), ['read', 'text'])
  checkInclude(Object(incoming.query))
  const deps = { ...httpDeps, mostDocumentBytes: settings.mostDocumentBytes }
  const streamed = readStreamQuery(Object(incoming.query))
  const target = targetOf(incoming)
  const first = await findResponse(deps, target, optionsOf(reply))
  if (streamed === null) return first.response
  const onFailure = (error: unknown): void => deps.observer.faultSurvived({ requestId: incoming.id, error })
  await sendEvents(
    { clock: deps.clock, onFailure },
    reply,
    encodeKeptStream(followResponse(deps, target, first, optionsOf(reply)), streamed),
  )
  return reply
}

/** How long a response in the background is waited for before it is read again. */
const followMs = 30_000

/** A response as it is now, and as it ends. */
async function* followResponse(
  deps: ResponseDependencies,
  target: ResponseTarget,
  first: KeptResponse,
  options: { readonly signal: AbortSignal },
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

/** Which response a path names, and for whom. @throws {ServiceError} `not_found` for texts that can be no id, before any store sees them. */
function targetOf(incoming: FastifyRequest<InferenceRoute>): ResponseTarget {
  const { id } = incoming.params
  if (!/^resp_[0-9a-f]{32}$/.test(id))
    throw new ServiceError('not_found', 'This response does not exist; it may have been deleted or is older than 24 hours.')
  return { accountId: callerOf(incoming).accountId, id }
}

function optionsOf(reply: FastifyReply): { readonly signal: AbortSignal } {
  return { signal: clientSignal(reply) }
}

/** @throws {ServiceError} `invalid_request_error` for what no response has. */
function checkInclude(query: Readonly<Record<string, unknown>>): void {
  const asked = Object.entries(query).flatMap(([name, value]) => (/^include(\[|$)/.test(name) ? [value].flat() : []))
  const unknown = asked.find((value) => !responseIncludes.some((known) => known === value))
  if (unknown === undefined) return
  throw new ServiceError('invalid_request_error', `\`include\` must be one of ${responseIncludes.join(', ')}.`, { param: 'include' })
}
