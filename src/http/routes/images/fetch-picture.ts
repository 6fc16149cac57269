import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isEnabled } from '../../../core/account-disabled.ts'
import { ServiceError } from '../../../core/error.ts'
import { requestNotFound } from '../../../operations/deferred/find-inference.ts'
import { findOutput } from '../../../operations/deferred/open-output.ts'
import { openPicture } from '../../../operations/deferred/open-picture.ts'
import { readServiceKey } from '../../../operations/service-key.ts'
import { imageContentType } from '../../answers/image-content-type.ts'
import { clientSignal } from '../../client-signal.ts'
import type { HttpDependencies } from '../../http-dependencies.ts'
import { isSigned, type PictureLink } from '../../links/picture-link.ts'

interface PictureRoute {
  readonly Params: { readonly account: string; readonly id: string; readonly index: string }
  readonly Querystring: { readonly expires?: string | string[]; readonly signature?: string | string[] }
}

/** GET /v1/images/stored/…: a picture by its signed link, for whoever has that. */
export function registerFetchPicture(server: FastifyInstance, deps: HttpDependencies): void {
  const config = { query: ['expires', 'signature'] }
  server.get('/v1/images/stored/:account/:id/:index', { config }, async (incoming: FastifyRequest<PictureRoute>, reply) => {
    const options = { signal: clientSignal(reply) }
    const link = readLink(incoming)
    const signature = String(incoming.query.signature ?? '')
    // Unsigned ids reach no store.
    if (!isSigned(await readServiceKey(deps, options), link, signature)) throw requestNotFound()
    if (!isEnabled(await deps.accounts.find(link.accountId, options))) throw requestNotFound()
    if (link.expires * 1000 <= deps.clock.now())
      throw new ServiceError('response_expired', 'This link has expired after 24 hours; send the request again.')
    const { output } = await findOutput(deps, { id: link.inferenceId, accountId: link.accountId }, options)
    const picture = output.images?.pictures[link.index]
    if (picture === undefined || picture.removedForSafety) throw requestNotFound()
    const bytes = await openPicture(deps, { output, picture }, options)
    return reply
      .type(imageContentType(bytes))
      .header('cache-control', 'private, max-age=3600, immutable')
      .header('content-disposition', 'inline')
      .header('x-content-type-options', 'nosniff')
      .send(bytes)
  })
}

function readLink({ params, query }: FastifyRequest<PictureRoute>): PictureLink {
  const whole = (text: string): number => (/^(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : -1)
  return { accountId: params.account, inferenceId: params.id, index: whole(params.index), expires: whole(String(query.expires ?? '')) }
}
