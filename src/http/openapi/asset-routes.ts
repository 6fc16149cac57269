import { scopes } from '../../core/access-token.ts'
import {
  assetListSchema,
  assetSchema,
  assetTransferSchema,
  completedUploadSchema,
  deletedAssetSchema,
} from '../wire/assets/asset-answers.ts'
import { assetPictureSchema, completeUploadSchema, newAssetSchema } from '../wire/assets/asset-fields.ts'
import { assetQueryNames } from '../wire/assets/asset-query.ts'
import { type DocumentedRoute, json, type RouteParameter, text } from './documented-route.ts'

const named: RouteParameter = { in: 'path', name: 'id', description: 'Its id, its name, or its account and name.', schema: text }
const link: readonly RouteParameter[] = [
  { in: 'path', name: 'id', description: 'Its id.', schema: text },
  { in: 'query', name: 'expires', description: 'As the link has it.', schema: text },
  { in: 'query', name: 'signature', description: 'As the link has it.', schema: text },
]
const file = { 'application/octet-stream': text }

/** The routes about files of weights that accounts upload. */
export const assetRoutes: readonly DocumentedRoute[] = [
  {
    method: 'get',
    path: '/v1/assets',
    summary: 'List your assets and the public ones',
    scopes,
    parameters: assetQueryNames.map((name) => ({ in: 'query', name, description: "The original's filter or page.", schema: text })),
    answers: [json('One page.', assetListSchema)],
    refusals: [429],
  },
  {
    method: 'post',
    path: '/v1/assets',
    summary: 'Announce a checkpoint, LoRA, textual inversion, VAE or ControlNet',
    description: 'PUT its `.safetensors` file to `put_url`, then complete the upload.',
    scopes: ['image'],
    body: newAssetSchema,
    answers: [json('The asset, and where its file goes.', assetTransferSchema)],
    refusals: [400, 413, 415, 422, 429],
  },
  {
    method: 'get',
    path: '/v1/assets/{id}',
    summary: 'Get an asset',
    description: 'With `transfer_api_type=presigned-url` links to its file come along.',
    scopes,
    parameters: [named, { in: 'query', name: 'transfer_api_type', description: 'presigned-url or any.', schema: text }],
    answers: [json('The asset.', assetTransferSchema)],
    refusals: [404, 422, 429],
  },
  {
    method: 'delete',
    path: '/v1/assets/{id}',
    summary: 'Delete an asset',
    description: 'New requests no longer find it; its file stays until earlier requests are done.',
    scopes: ['image'],
    parameters: [named],
    answers: [json('When.', deletedAssetSchema)],
    refusals: [404, 429],
  },
  {
    method: 'post',
    path: '/v1/assets/{id}/complete-upload',
    summary: 'Check an uploaded file',
    scopes: ['image'],
    parameters: [named],
    body: completeUploadSchema,
    answers: [json('It is ready or was rejected.', completedUploadSchema)],
    refusals: [400, 404, 413, 415, 422, 429],
  },
  {
    method: 'put',
    path: '/v1/assets/{id}/content',
    summary: 'Upload the file of an asset',
    description: 'The `put_url`. With `Content-Range: bytes <first>-<last>/<all>`, the part that follows the last one.',
    scopes: null,
    parameters: link,
    answers: [json('The asset.', assetSchema)],
    refusals: [404, 415, 422, 429, 503],
  },
  {
    method: 'get',
    path: '/v1/assets/{id}/content',
    summary: 'Download the file of an asset',
    description: 'The `get_url`.',
    scopes: null,
    parameters: link,
    answers: [{ status: 200, description: 'The file.', content: file }],
    refusals: [404],
  },
  {
    method: 'post',
    path: '/v1/assets/{id}/picture',
    summary: 'Give an asset a picture',
    scopes: ['image'],
    parameters: [named],
    body: assetPictureSchema,
    answers: [json('The asset.', assetSchema)],
    refusals: [400, 404, 413, 415, 422, 429, 503],
  },
  {
    method: 'get',
    path: '/v1/assets/{id}/picture',
    summary: 'The picture of an asset',
    scopes,
    parameters: [named],
    answers: [{ status: 200, description: 'The picture.', content: { 'image/png': text, 'image/jpeg': text, 'image/webp': text } }],
    refusals: [404, 429],
  },
]
