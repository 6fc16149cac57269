import type { FastifyInstance, FastifyRequest } from 'fastify'
import { findInference } from '../../operations/deferred/find-inference.ts'
import { findOutput } from '../../operations/deferred/open-output.ts'
import { sendChunks } from '../answers/send-chunks.ts'
import { callerOf } from '../caller.ts'
import { clientSignal } from '../client-signal.ts'
import type { RouteDependencies } from '../http-dependencies.ts'
import type { HttpSettings } from '../http-settings.ts'
import { type InferenceRoute, readTarget, requireReadable } from '../inference-target.ts'
import { refuseOthers } from '../known-query.ts'
import { answerKeptResponse, includeQuery, isKeptResponse } from './responses/kept-responses.ts'

/** Opening reads all of an output; one of more bytes takes as long as its bytes need, once the first of them has come. */
const mostPromptBytes = 1024 * 1024

/** GET /v1/responses/<id>: the stored output, the same bytes every time; of an id `resp_…` the kept response of POST /v1/responses. */
export function registerFetchResponse(api: FastifyInstance, deps: RouteDependencies, settings: HttpSettings): void {
  api.get('/v1/responses/:id', { config: { query: includeQuery } }, async (incoming: FastifyRequest<InferenceRoute>, reply) => {
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
  })
}

/** RFC 9110, section 13.1.2: weak comparison, so that a proxy's `W/` does not matter. */
function matches(header: string | undefined, etag: string): boolean {
  const tags = (header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag) || tags.includes('*')
}
