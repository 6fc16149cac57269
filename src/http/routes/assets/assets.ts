import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Caller, scopes } from '../../../core/access-token.ts'
import type { UploadedAsset } from '../../../core/assets/uploaded-asset.ts'
import { ServiceError } from '../../../core/error.ts'
import { completeAsset } from '../../../operations/assets/complete-asset.ts'
import { createAsset } from '../../../operations/assets/create-asset.ts'
import { deleteAsset, requireOwn } from '../../../operations/assets/delete-asset.ts'
import { findAsset, listVisibleAssets } from '../../../operations/assets/find-asset.ts'
import { setAssetPicture } from '../../../operations/assets/set-asset-picture.ts'
import { receivedBody } from '../../body/read-body.ts'
import { callerOf, requireScope } from '../../caller.ts'
import { clientSignal } from '../../client-signal.ts'
import type { HttpDependencies } from '../../http-dependencies.ts'
import { assetPictureSchema, completeUploadSchema, readNewAsset } from '../../wire/assets/asset-fields.ts'
import { assetQueryNames, readAssetQuery } from '../../wire/assets/asset-query.ts'
import { encodeAsset } from '../../wire/assets/encode-asset.ts'
import { createBodyChecker } from '../../wire/faults/body-checker.ts'
import { imageFaultCodes } from '../../wire/faults/refuse-faults.ts'
import { decodeImage } from '../../wire/images/decode-image.ts'
import { assetLink } from './asset-links.ts'

type NamedRequest = FastifyRequest<{ Params: { id: string }; Querystring: Record<string, unknown> }>

const completion = createBodyChecker(completeUploadSchema)
const pictureBody = createBodyChecker(assetPictureSchema)

/** /v1/assets: files of weights that an account keeps here, in the original's shape. */
export function registerAssets(api: FastifyInstance, deps: HttpDependencies): void {
  const { assets } = deps
  const find = (caller: Caller, { params }: NamedRequest, signal: AbortSignal): Promise<UploadedAsset> =>
    findAsset(assets, { caller, name: params.id }, { signal })
  const transfer = (asset: UploadedAsset) => {
    const origin = deps.addresses().publicUrl
    const now = deps.clock.now()
    const [put_url, get_url] = [assetLink(origin, asset, { verb: 'put', now }), assetLink(origin, asset, { verb: 'get', now })]
    return { type: 'presigned-url', put_url, get_url }
  }

  api.get('/v1/assets', { config: { query: assetQueryNames } }, async (incoming: NamedRequest, reply) => {
    const caller = callerOf(incoming)
    requireScope(caller, scopes)
    const { accepts, offset, limit } = readAssetQuery(incoming.query)
    const all = (await listVisibleAssets(assets, caller, { signal: clientSignal(reply) })).filter(accepts)
    return { data: all.slice(offset, offset + limit).map(encodeAsset), has_more: offset + limit < all.length, total: all.length }
  })

  api.post('/v1/assets', async (incoming, reply) => {
    const caller = callerOf(incoming)
    requireScope(caller, ['image'])
    const secrets = { id: randomBytes(16).toString('hex'), linkKey: randomBytes(32).toString('hex') }
    const asset = readNewAsset(receivedBody(incoming).value)
    const made = await createAsset(assets, { caller, asset, secrets }, { signal: clientSignal(reply) })
    return { asset: encodeAsset(made), transfer_api: transfer(made) }
  })

  api.get('/v1/assets/:id', { config: { query: ['transfer_api_type'] } }, async (incoming: NamedRequest, reply) => {
    const caller = callerOf(incoming)
    requireScope(caller, scopes)
    const { transfer_api_type: wanted } = incoming.query
    if (wanted === 'sts' || wanted === 'gcp-oauth')
      throw new ServiceError('unsupported', `\`transfer_api_type\` must be presigned-url: Sepia does not offer ${wanted}.`, {
        param: 'transfer_api_type',
      })
    const asset = await find(caller, incoming, clientSignal(reply))
    return { asset: encodeAsset(asset), transfer_api: wanted === undefined ? { type: 'none' } : transfer(asset) }
  })

  api.delete('/v1/assets/:id', async (incoming: NamedRequest, reply) => {
    const caller = callerOf(incoming)
    requireScope(caller, ['image'])
    const signal = clientSignal(reply)
    const asset = await find(caller, incoming, signal)
    const deletedAt = await deleteAsset(assets, { caller, asset }, { signal })
    return { id: asset.id, deleted_at: new Date(deletedAt).toISOString() }
  })

  api.post('/v1/assets/:id/complete-upload', async (incoming: NamedRequest, reply) => {
    const caller = callerOf(incoming)
    requireScope(caller, ['image'])
    const signal = clientSignal(reply)
    const body = incoming.body === undefined ? {} : completion.parse(receivedBody(incoming).value, imageFaultCodes)
    if (body.skip_validation === true)
      throw new ServiceError('unsupported', '`skip_validation` must be left out: every file is checked.', { param: 'skip_validation' })
    const asset = await find(caller, incoming, signal)
    await requireOwn(assets, { caller, asset }, { signal })
    const completed = await completeAsset(assets, asset, { signal })
    return completed.state === 'rejected' ? { error: completed.details } : {}
  })

  api.post('/v1/assets/:id/picture', { config: { largeBody: true } }, async (incoming: NamedRequest, reply) => {
    const caller = callerOf(incoming)
    requireScope(caller, ['image'])
    const signal = clientSignal(reply)
    const { image } = pictureBody.parse(receivedBody(incoming).value, imageFaultCodes)
    const asset = await find(caller, incoming, signal)
    await requireOwn(assets, { caller, asset }, { signal })
    let format = ''
    const inspect: typeof deps.inspectImage = async (bytes, options) => {
      const inspected = await deps.inspectImage(bytes, { ...options, account: caller.accountId })
      format = inspected.format
      return inspected
    }
    const bytes = await decodeImage(inspect, { field: 'image', text: image }, { signal })
    return encodeAsset(await setAssetPicture(assets, { asset, picture: { bytes, format } }, { signal }))
  })

  api.get('/v1/assets/:id/picture', async (incoming: NamedRequest, reply) => {
    const caller = callerOf(incoming)
    requireScope(caller, scopes)
    const signal = clientSignal(reply)
    const asset = await find(caller, incoming, signal)
    const picture = asset.picture === null ? null : await assets.files.open(asset.id, 'picture', { signal })
    if (picture === null || asset.picture === null)
      throw new ServiceError('not_found', 'This asset has no picture: POST one to this address.')
    const bytes = Buffer.concat(await Array.fromAsync(picture.pieces))
    return reply.header('cache-control', 'private, no-cache').type(asset.picture).send(bytes)
  })
}
