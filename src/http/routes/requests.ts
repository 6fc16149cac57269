import type { FastifyInstance, FastifyRequest } from 'fastify'
import { cancelInference } from '../../operations/deferred/cancel-inference.ts'
import { findInference, listInferences } from '../../operations/deferred/find-inference.ts'
import { findOutput } from '../../operations/deferred/open-output.ts'
import { waitForInference } from '../../operations/deferred/wait-for-inference.ts'
import { watchInference } from '../../operations/deferred/watch-inference.ts'
import { afterFirst } from '../answers/first-part.ts'
import { sendChunks } from '../answers/send-chunks.ts'
import { sendEvents } from '../answers/send-events.ts'
import { callerOf, requireScope } from '../caller.ts'
import { clientSignal } from '../client-signal.ts'
import type { HttpDependencies, RouteDependencies } from '../http-dependencies.ts'
import type { HttpSettings } from '../http-settings.ts'
import { type InferenceRoute, readTarget, requireReadable, requireWritable } from '../inference-target.ts'
import { refuseOthers } from '../known-query.ts'
import { encodeInference } from '../wire/deferred/inference.ts'
import { encodeInferenceStream } from '../wire/deferred/inference-stream.ts'
import { readListQuery, readPollWait } from '../wire/deferred/queries.ts'
import { keptStreamQuery } from '../wire/responses/kept-stream.ts'
import { answerKeptResponse, includeQuery, isKeptResponse } from './responses/kept-responses.ts'

/** The account's deferred requests: listed, polled, watched, cancelled, and their stored output. */
export function registerRequests(api: FastifyInstance, deps: RouteDependencies, settings: HttpSettings): void {
  registerListRequests(api, deps)
  registerPollRequest(api, deps)
  registerWatchRequest(api, deps)
  registerCancelRequest(api, deps)
  registerFetchResponse(api, deps, settings)
}

/** GET /v1/requests: the account's own deferred requests, newest first. */
function registerListRequests(api: FastifyInstance, deps: HttpDependencies): void {
  const config = { query: ['status', 'limit', 'after'] }
  api.get('/v1/requests', { config }, async (incoming: FastifyRequest<{ Querystring: Record<string, unknown> }>, reply) => {
    const caller = callerOf(incoming)
    requireScope(caller, ['read'])
    const query = { accountId: caller.accountId, ...readListQuery(incoming.query) }
    const page = await listInferences(deps, query, { signal: clientSignal(reply) })
    const address = deps.addresses()
    return {
      object: 'list',
      data: page.inferences.map((inference) => encodeInference(address, inference)),
      has_more: page.next !== null,
      next: page.next,
    }
  })
}

/** GET /v1/requests/<id>: how a deferred request stands, at once or held until it is completed. */
function registerPollRequest(api: FastifyInstance, deps: RouteDependencies): void {
  const config = { query: ['wait'] }
  api.get('/v1/requests/:id', { config }, async (incoming: FastifyRequest<InferenceRoute & { Querystring: { wait?: unknown } }>, reply) => {
    const wait = readPollWait(incoming.query.wait, incoming.headers.prefer)
    const target = readTarget(incoming)
    const options = { signal: clientSignal(reply) }
    using _place = wait.ms === 0 ? null : await deps.places.take(target.accountId, 'polls')
    const find = () =>
      wait.ms === 0 ? findInference(deps, target, options) : waitForInference(deps, { ...target, waitMs: wait.ms }, options)
    const inference = await deps.deadline.keep(reply, find, wait.ms)
    requireReadable(incoming, inference)
    if (inference.status !== 'completed') reply.header('retry-after', '1')
    if (wait.preferred) reply.header('preference-applied', `wait=${wait.ms / 1000}`)
    return reply.header('cache-control', 'no-store').send(encodeInference(deps.addresses(), inference))
  })
}

/** GET /v1/requests/<id>/events: a deferred request as it goes, until it is completed. */
function registerWatchRequest(api: FastifyInstance, deps: RouteDependencies): void {
  // A HEAD would be held open as long as the events.
  api.get('/v1/requests/:id/events', { exposeHeadRoute: false }, async (incoming: FastifyRequest<InferenceRoute>, reply) => {
    const target = readTarget(incoming)
    const options = { signal: clientSignal(reply) }
    requireReadable(incoming, await findInference(deps, target, options))
    using _place = await deps.places.take(target.accountId, 'events')
    const updates = await afterFirst(watchInference(deps, target, options))
    const events = encodeInferenceStream(deps.addresses(), updates)
    await sendEvents(
      { clock: deps.clock, onFailure: (error) => deps.observer.faultSurvived({ requestId: incoming.id, error }) },
      reply,
      events,
    )
    return reply
  })
}

/** DELETE /v1/requests/<id>: cancels and answers how the request stands then. */
function registerCancelRequest(api: FastifyInstance, deps: RouteDependencies): void {
  api.delete('/v1/requests/:id', async (incoming: FastifyRequest<InferenceRoute>, reply) => {
    const target = readTarget(incoming)
    const options = { signal: clientSignal(reply) }
    const cancelled = await deps.deadline.keep(reply, async () => {
      requireWritable(incoming, await findInference(deps, target, options))
      return cancelInference(deps, target, options)
    })
    return encodeInference(deps.addresses(), cancelled)
  })
}

/** Opening reads all of an output; one of more bytes takes as long as its bytes need, once the first of them has come. */
const mostPromptBytes = 1024 * 1024

/** GET /v1/responses/<id>: the stored output, the same bytes every time; of an id `resp_…` the kept response of POST /v1/responses. */
function registerFetchResponse(api: FastifyInstance, deps: RouteDependencies, settings: HttpSettings): void {
  api.get(
    '/v1/responses/:id',
    { config: { query: [...includeQuery, ...keptStreamQuery] } },
    async (incoming: FastifyRequest<InferenceRoute>, reply) => {
      if (isKeptResponse(incoming.params.id)) return answerKeptResponse(deps, settings, incoming, reply)
      refuseOthers(incoming.query, [])
      const target = readTarget(incoming)
      const options = { signal: clientSignal(reply) }
      const { output, expiresAt } = await deps.deadline.keep(reply, async () => {
        if (!callerOf(incoming).scopes.includes('read')) requireReadable(incoming, await findInference(deps, target, options))
        return findOutput(deps, target, options)
      })
      const etag = `"${output.sha256}"`
      reply.header('etag', etag).header('cache-control', 'private, no-cache').header('expires', new Date(expiresAt).toUTCString())
      if (matches(incoming.headers['if-none-match'], etag)) return reply.code(304).send()
      const open = () => deps.outputs.open(output, options)
      const isLarge = output.bytes > mostPromptBytes
      if (isLarge) await deps.deadline.keep(reply, () => deps.outputs.readPart(output, { offset: 0, length: 1 }, options))
      const chunks = await (isLarge ? open() : deps.deadline.keep(reply, open))
      const onFailure = (error: unknown) => deps.observer.faultSurvived({ requestId: incoming.id, error })
      await sendChunks({ clock: deps.clock, onFailure }, reply, { contentType: output.contentType, bytes: output.bytes, chunks })
      return reply
    },
  )
}

/** RFC 9110, section 13.1.2: weak comparison, so that a proxy's `W/` does not matter. */
function matches(header: string | undefined, etag: string): boolean {
  const tags = (header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag) || tags.includes('*')
}
