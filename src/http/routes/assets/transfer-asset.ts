import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isEnabled } from '../../../core/account-disabled.ts'
import type { UploadedAsset } from '../../../core/assets/uploaded-asset.ts'
import { ServiceError } from '../../../core/error.ts'
import { findAssetRecord } from '../../../operations/assets/asset-records.ts'
import { receiveAsset } from '../../../operations/assets/receive-asset.ts'
import { sendChunks } from '../../answers/send-chunks.ts'
import { refuseCompressed } from '../../body/refuse-compressed.ts'
import { clientSignal } from '../../client-signal.ts'
import type { HttpDependencies } from '../../http-dependencies.ts'
import { noteWork } from '../../note-work.ts'
import { encodeAsset } from '../../wire/assets/encode-asset.ts'
import { linkQuery, requireLink } from './asset-links.ts'

type LinkRequest = FastifyRequest<{ Params: { id: string }; Querystring: Record<string, unknown> }>

/** PUT and GET /v1/assets/<id>/content: an asset's file, for whoever holds the link. */
export async function registerTransferAsset(server: FastifyInstance, deps: HttpDependencies): Promise<void> {
  const config = { query: linkQuery }
  const find = async ({ params, query }: LinkRequest, verb: 'get' | 'put', reply: FastifyReply): Promise<UploadedAsset> => {
    const options = { signal: clientSignal(reply) }
    const found = await findAssetRecord(deps.assets, params.id.slice(0, 128), options)
    const owned = found !== null && isEnabled(await deps.accounts.find(found.accountId, options)) ? found : null
    const asset = requireLink(owned, { verb, query, now: deps.clock.now() })
    noteWork(deps, { accountId: asset.accountId, tokenId: null }, reply)
    return asset
  }

  server.get('/v1/assets/:id/content', { config }, async (incoming: LinkRequest, reply) => {
    const signal = clientSignal(reply)
    const asset = await find(incoming, 'get', reply)
    const content = asset.state === 'ready' ? await deps.assets.files.open(asset.id, 'weights', { signal }) : null
    if (content === null) throw new ServiceError('not_found', 'This asset has no file yet: upload one.')
    const onFailure = (error: unknown) => deps.observer.faultSurvived({ requestId: incoming.id, error })
    reply.header('cache-control', 'private, no-store').header('content-disposition', `attachment; filename="${asset.name}.safetensors"`)
    const answer = { contentType: 'application/octet-stream', bytes: content.bytes, chunks: content.pieces }
    await sendChunks({ clock: deps.clock, onFailure }, reply, answer)
    return reply
  })

  // Files go to the disk as they come, whatever they are called.
  await server.register(async (uploads) => {
    uploads.removeAllContentTypeParsers()
    uploads.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
    uploads.put('/v1/assets/:id/content', { config }, async (incoming: LinkRequest, reply) => {
      const signal = clientSignal(reply)
      const asset = await find(incoming, 'put', reply)
      const { headers } = incoming
      refuseCompressed(headers)
      const received = await receiveAsset(
        deps.assets,
        {
          asset,
          content: bytesOf(incoming.body),
          from: readStart(headers['content-range']),
          length: headers['content-length'] === undefined ? null : Number(headers['content-length']),
        },
        { signal },
      )
      return encodeAsset(received)
    })
  })
}

async function* bytesOf(body: unknown): AsyncGenerator<Uint8Array, void, undefined> {
  if (body instanceof Readable) yield* body
}

/** The place of a part in its file, of a header such as `bytes 100-199/*`; 0 without one. */
function readStart(range: string | undefined): number {
  if (range === undefined) return 0
  const start = /^bytes (\d{1,15})-\d{1,15}\/(?:\d{1,15}|\*)$/.exec(range)?.[1]
  if (start === undefined)
    throw new ServiceError('invalid_request_error', 'Write Content-Range as `bytes <first>-<last>/<all>`.', { param: 'content-range' })
  return Number(start)
}
