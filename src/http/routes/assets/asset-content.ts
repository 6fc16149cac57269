import { Readable } from 'node:stream'
import { isEnabled } from '../../../core/account.ts'
import type { UploadedAsset } from '../../../core/assets/uploaded-asset.ts'
import { ServiceError } from '../../../core/error.ts'
import { findAssetRecord } from '../../../operations/assets/asset-records.ts'
import { receiveAsset } from '../../../operations/assets/uploads.ts'
import { sendChunks } from '../../answers/send-chunks.ts'
import { inviteBody } from '../../body/discarded-bodies.ts'
import { refuseCompressed } from '../../body/read-body.ts'
import { registerWork } from '../../client-signal.ts'
import type { HttpDependencies } from '../../http-dependencies.ts'
import type { Call, Route } from '../../route.ts'
import type { RouteParameter } from '../../route-description.ts'
import { assetSchema, encodeAsset } from '../../wire/assets/asset-answers.ts'
import { inPath, inQuery, json, media } from '../row-parts.ts'
import { requireLink } from './asset-links.ts'

const link: readonly RouteParameter[] = [
  inPath('id', 'Its id.'),
  inQuery('expires', 'As in the link.'),
  inQuery('signature', 'As in the link.'),
]

/** PUT and GET /v1/assets/<id>/content: an asset's file, for everyone who has the link. */
export const assetContentRoutes: readonly Route[] = [
  {
    method: 'PUT',
    path: '/v1/assets/{id}/content',
    summary: 'Upload the file of an asset',
    description: 'The address is `put_url`. To send the file in parts, add `Content-Range: bytes <first>-<last>/<all>`.',
    scopes: null,
    takes: 'bytes',
    parameters: link,
    answers: [json('The asset.', assetSchema)],
    refusals: [404, 415, 422, 429, 503],
    handle: (deps) => async (call) => {
      const asset = await findLinked(deps, call, 'put')
      const { headers } = call.incoming
      refuseCompressed(headers)
      const length = headers['content-length'] === undefined ? null : Number(headers['content-length'])
      const received = { asset, content: bytesOf(call), from: readStart(headers['content-range']), length }
      return encodeAsset(await receiveAsset(deps.assets, received, call.options))
    },
  },
  {
    method: 'GET',
    path: '/v1/assets/{id}/content',
    summary: 'Download the file of an asset',
    description: 'The address is `get_url`.',
    scopes: null,
    parameters: link,
    answers: [media('The file.', 'application/octet-stream')],
    refusals: [404],
    handle: (deps) => async (call) => {
      const { reply, options, onFailure } = call
      const asset = await findLinked(deps, call, 'get')
      const content = asset.state === 'ready' ? await deps.assets.files.open(asset.id, 'weights', options) : null
      if (content === null) throw new ServiceError('not_found', 'This asset has no file yet: upload one.')
      reply.header('cache-control', 'private, no-store').header('content-disposition', `attachment; filename="${asset.name}.safetensors"`)
      const answer = { contentType: 'application/octet-stream', bytes: content.bytes, chunks: content.pieces }
      await sendChunks({ clock: deps.clock, onFailure }, reply, answer)
      return reply
    },
  },
]

async function findLinked(deps: HttpDependencies, { reply, param, query, options }: Call, verb: 'get' | 'put'): Promise<UploadedAsset> {
  const found = await findAssetRecord(deps.assets, param('id').slice(0, 128), options)
  const owned = found !== null && isEnabled(await deps.accounts.find(found.accountId, options)) ? found : null
  const asset = requireLink(owned, { verb, query, now: deps.clock.now() })
  registerWork(deps, { accountId: asset.accountId, tokenId: null }, reply)
  return asset
}

async function* bytesOf({ incoming: { body }, reply }: Call): AsyncGenerator<Uint8Array, void, undefined> {
  inviteBody(reply)
  // A refused upload must keep its connection, whose rest of the body is read after the answer.
  if (body instanceof Readable) yield* body.iterator({ destroyOnReturn: false })
}

/** The offset of a part, from a header such as `bytes 100-199/*`; 0 without the header. */
function readStart(range: string | undefined): number {
  if (range === undefined) return 0
  const start = /^bytes (\d{1,15})-\d{1,15}\/(?:\d{1,15}|\*)$/.exec(range)?.[1]
  if (start === undefined)
    throw new ServiceError('invalid_request_error', 'Write Content-Range as `bytes <first>-<last>/<all>`.', { param: 'content-range' })
  return Number(start)
}
