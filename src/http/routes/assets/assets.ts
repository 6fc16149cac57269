import { randomBytes } from 'node:crypto'
import { scopes } from '../../../core/access-token.ts'
import type { UploadedAsset } from '../../../core/assets/uploaded-asset.ts'
import { ServiceError } from '../../../core/error.ts'
import { findAsset, listVisibleAssets, setAssetPicture } from '../../../operations/assets/assets.ts'
import { deleteAsset, requireOwn } from '../../../operations/assets/deleted-assets.ts'
import { completeAsset, createAsset } from '../../../operations/assets/uploads.ts'
import { Thumbnails } from '../../../operations/pictures/thumbnails.ts'
import { imageContentType } from '../../answers/image-content-type.ts'
import { receivedBody } from '../../body/read-body.ts'
import { createBodyChecker } from '../../faults/body-checker.ts'
import { imageFaultCodes } from '../../faults/refuse-faults.ts'
import type { HttpDependencies } from '../../http-dependencies.ts'
import type { Call, Route } from '../../route.ts'
import {
  assetListSchema,
  assetSchema,
  assetTransferSchema,
  completedUploadSchema,
  deletedAssetSchema,
  encodeAsset,
} from '../../wire/assets/asset-answers.ts'
import { assetPictureSchema, completeUploadSchema, newAssetSchema, readNewAsset } from '../../wire/assets/asset-fields.ts'
import { assetQueryNames, readAssetQuery } from '../../wire/assets/asset-query.ts'
import { decodeImage } from '../../wire/images/decode-image.ts'
import { readThumbnailWidth, thumbnailWidthSchema } from '../../wire/images/thumbnail-width.ts'
import { examplePicture } from '../images/drawing.ts'
import { inPath, inQuery, json, media } from '../row-parts.ts'
import { assetContentRoutes } from './asset-content.ts'
import { assetLink } from './asset-links.ts'

const completion = createBodyChecker(completeUploadSchema)
const pictureBody = createBodyChecker(assetPictureSchema)
const named = inPath('id', 'Its id, its name, or its account and name.')

/** /v1/assets: an account's files of weights, in the original service's format. */
export const assetRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/v1/assets',
    summary: 'List your assets and the public ones',
    scopes,
    parameters: assetQueryNames.map((name) => inQuery(name, "The original's filter or page.")),
    answers: [json('A page of assets.', assetListSchema)],
    refusals: [429],
    handle:
      ({ assets }) =>
      async ({ caller, query, options }) => {
        const { accepts, offset, limit } = readAssetQuery(query)
        const all = (await listVisibleAssets(assets, caller, options)).filter(accepts)
        return { data: all.slice(offset, offset + limit).map(encodeAsset), has_more: offset + limit < all.length, total: all.length }
      },
  },
  {
    method: 'POST',
    path: '/v1/assets',
    summary: 'Announce a checkpoint, LoRA, textual inversion, VAE or ControlNet',
    description: 'PUT its `.safetensors` file to `put_url`, then complete the upload.',
    scopes: ['image'],
    body: newAssetSchema,
    example: {
      asset_type: 'lora',
      name: 'watercolour',
      data: { asset_type: 'lora', data_type: 'fp16', file_format: 'safetensors', engine: 'image/stable-diffusion-xl-v1-0' },
    },
    answers: [json('The asset and its upload address.', assetTransferSchema)],
    refusals: [400, 413, 415, 422, 429],
    handle:
      (deps) =>
      async ({ incoming, caller, options }) => {
        const secrets = { id: randomBytes(16).toString('hex'), linkKey: randomBytes(32).toString('hex') }
        const asset = readNewAsset(receivedBody(incoming).value)
        const made = await createAsset(deps.assets, { caller, asset, secrets }, options)
        return { asset: encodeAsset(made), transfer_api: transferOf(deps, made) }
      },
  },
  {
    method: 'GET',
    path: '/v1/assets/{id}',
    summary: 'Get an asset',
    description: 'With `transfer_api_type=presigned-url` the answer includes links to its file.',
    scopes,
    parameters: [named, inQuery('transfer_api_type', 'presigned-url or any.')],
    answers: [json('The asset.', assetTransferSchema)],
    refusals: [404, 422, 429],
    handle: (deps) => async (call) => {
      const { transfer_api_type: wanted } = call.query
      if (wanted === 'sts' || wanted === 'gcp-oauth')
        throw new ServiceError('unsupported', `\`transfer_api_type\` must be presigned-url: Sepia does not offer ${wanted}.`, {
          param: 'transfer_api_type',
        })
      const asset = await find(deps, call)
      return { asset: encodeAsset(asset), transfer_api: wanted === undefined ? { type: 'none' } : transferOf(deps, asset) }
    },
  },
  {
    method: 'DELETE',
    path: '/v1/assets/{id}',
    summary: 'Delete an asset',
    description: 'New requests can no longer use it; its file stays until earlier requests are done.',
    scopes: ['image'],
    parameters: [named],
    answers: [json('The asset is deleted.', deletedAssetSchema)],
    refusals: [404, 429],
    handle: (deps) => async (call) => {
      const asset = await find(deps, call)
      const deletedAt = await deleteAsset(deps.assets, { caller: call.caller, asset }, call.options)
      return { id: asset.id, deleted_at: new Date(deletedAt).toISOString() }
    },
  },
  {
    method: 'POST',
    path: '/v1/assets/{id}/complete-upload',
    summary: 'Check an uploaded file',
    takesLonger: true,
    scopes: ['image'],
    parameters: [named],
    body: completeUploadSchema,
    example: {},
    answers: [json('The asset, ready or rejected.', completedUploadSchema)],
    refusals: [400, 404, 413, 415, 422, 429],
    handle: (deps) => async (call) => {
      const { incoming, caller, options } = call
      const body = incoming.body === undefined ? {} : completion.parse(receivedBody(incoming).value, imageFaultCodes)
      if (body.skip_validation === true)
        throw new ServiceError('unsupported', '`skip_validation` must be left out: every file is checked.', { param: 'skip_validation' })
      const asset = await find(deps, call)
      await requireOwn(deps.assets, { caller, asset }, options)
      const completed = await completeAsset(deps.assets, asset, options)
      return completed.state === 'rejected' ? { error: completed.details } : {}
    },
  },
  ...assetContentRoutes,
  {
    method: 'POST',
    path: '/v1/assets/{id}/picture',
    summary: 'Set the image of an asset',
    scopes: ['image'],
    largeBody: true,
    parameters: [named],
    body: assetPictureSchema,
    example: { image: examplePicture },
    answers: [json('The asset.', assetSchema)],
    refusals: [400, 404, 413, 415, 422, 429, 503],
    handle: (deps) => async (call) => {
      const { incoming, caller, options } = call
      const { image } = pictureBody.parse(receivedBody(incoming).value, imageFaultCodes)
      const asset = await find(deps, call)
      await requireOwn(deps.assets, { caller, asset }, options)
      let format = ''
      const inspect: typeof deps.inspectImage = async (bytes, inspecting) => {
        const inspected = await deps.inspectImage(bytes, { ...inspecting, account: caller.accountId })
        format = inspected.format
        return inspected
      }
      const { bytes } = await decodeImage(inspect, { field: 'image', text: image }, options)
      return encodeAsset(await setAssetPicture(deps.assets, { asset, picture: { bytes, format } }, options))
    },
  },
  {
    method: 'GET',
    path: '/v1/assets/{id}/picture',
    takesLonger: true,
    summary: 'The image of an asset',
    scopes,
    parameters: [
      named,
      inQuery('width', 'The image as WebP at this width in pixels, or at its own if that is smaller.', thumbnailWidthSchema),
    ],
    answers: [media('The image.', 'image/png', 'image/jpeg', 'image/webp')],
    refusals: [400, 404, 429],
    handle: (deps) => {
      const thumbnails = new Thumbnails(deps)
      return async (call) => {
        const width = readThumbnailWidth(call.query.width)
        const asset = await find(deps, call)
        const stored = asset.picture === null ? null : await deps.assets.files.open(asset.id, 'picture', call.options)
        if (stored === null || asset.picture === null)
          throw new ServiceError('not_found', 'This asset has no image: POST one to this address.')
        const read = async () => Buffer.concat(await Array.fromAsync(stored.pieces))
        call.reply.header('cache-control', 'private, no-cache')
        if (width === null) return call.reply.type(asset.picture).send(await read())
        const source = { accountId: call.caller.accountId, picture: `${asset.id}.${stored.version}`, expiresAt: null, read }
        const thumbnail = await thumbnails.open(source, width, call.options)
        return call.reply.type(imageContentType(thumbnail)).send(thumbnail)
      }
    },
  },
]

function find({ assets }: HttpDependencies, { caller, param, options }: Call): Promise<UploadedAsset> {
  return findAsset(assets, { caller, name: param('id') }, options)
}

function transferOf({ addresses, clock }: HttpDependencies, asset: UploadedAsset): object {
  const { publicUrl: origin } = addresses()
  const now = clock.now()
  const [put_url, get_url] = [assetLink(origin, asset, { verb: 'put', now }), assetLink(origin, asset, { verb: 'get', now })]
  return { type: 'presigned-url', put_url, get_url }
}
