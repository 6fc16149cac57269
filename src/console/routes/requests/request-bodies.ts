import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ServiceError } from '../../../core/error.ts'
import type { Abortable } from '../../../core/waiting.ts'
import { clientSignal } from '../../../http/client-signal.ts'
import { findBodies, type ReadBody } from '../../../operations/bodies/kept-bodies.ts'
import type { ConsoleDependencies } from '../../console-dependencies.ts'
import type { RequestBodies, ShownBody } from '../../contract/request-logs.ts'
import { findRequest } from '../../find-request.ts'
import { recordAudit } from '../../record-audit.ts'
import { personOf } from '../../sign-in/signed-in.ts'

/** Bytes of a body in the answer; the rest is fetched as a file. */
const maxShown = 128 * 1024

type Dependencies = Pick<ConsoleDependencies, 'log' | 'events' | 'requests' | 'clock' | 'audit' | 'documents' | 'outputs' | 'bodyKeys'>

/** /console/api/requests/:id/bodies: logged bodies of the caller's request, or for owners of any. Each read is recorded in the audit log. */
export function registerRequestBodies(own: FastifyInstance, deps: Dependencies): void {
  own.get<{ Params: { id: string } }>('/console/api/requests/:id/bodies', async (request, reply): Promise<RequestBodies> => {
    const bodies = await readBodies(deps, request, { signal: clientSignal(reply) })
    return { bodies: bodies.map(showBody) }
  })

  own.get<{ Params: { id: string; body: string } }>('/console/api/requests/:id/bodies/:body', async (request, reply) => {
    const bodies = await readBodies(deps, request, { signal: clientSignal(reply) })
    const body = bodies.find(({ id }) => id === request.params.body)
    if (body === undefined || 'unreadable' in body)
      throw new ServiceError('not_found', 'The request log has no readable body for this request.')
    // Always an attachment, so that a browser never renders it.
    reply.header('content-disposition', `attachment; filename="${body.part}.${extensionOf(body.contentType)}"`)
    return reply.type('application/octet-stream').send(Buffer.from(body.bytes))
  })
}

async function readBodies(
  deps: Dependencies,
  request: FastifyRequest<{ Params: { id: string } }>,
  options: Abortable,
): Promise<readonly ReadBody[]> {
  const { id: requestId, accountId, record } = await findRequest(deps, { place: request.params.id, person: personOf(request) }, options)
  // Earlier requests with the same id are excluded.
  const target = { accountId, requestId, from: record?.at ?? 0 }
  const bodies = await findBodies({ ...deps, keys: deps.bodyKeys }, target, options)
  if (bodies.length > 0) await recordAudit(deps, request, 'request-log-read', { subject: accountId, detail: requestId })
  return bodies
}

function showBody(body: ReadBody): ShownBody {
  const { id, part, at } = body
  if ('unreadable' in body)
    return { id, part, at, unreadable: body.unreadable, path: null, contentType: null, status: null, length: 0, text: null, more: false }
  const { path, contentType, status, length, bytes } = body
  const shown = bytes.subarray(0, maxShown)
  const text = /^(?:application\/json|text\/)/.test(contentType ?? '') ? new TextDecoder().decode(shown, { stream: true }) : null
  return { id, part, at, unreadable: null, path, contentType, status, length, text, more: bytes.length > shown.length || text === null }
}

function extensionOf(contentType: string | null): string {
  const known = /^(?:application\/(json)|image\/(png|jpeg|webp)|text\/(event-stream))/.exec(contentType ?? '')
  const found = known?.slice(1).find((each) => each !== undefined)
  return found === undefined ? 'bin' : found === 'event-stream' ? 'txt' : found
}
