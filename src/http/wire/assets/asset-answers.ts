import Type from 'typebox'
import { engineOf } from '../../../core/assets/asset-engine.ts'
import type { UploadedAsset } from '../../../core/assets/uploaded-asset.ts'
import type { Answer } from '../answer.ts'
import { type AssetType, assetTypes } from './asset-fields.ts'

/** An asset in answers: the original service's fields, then Sepia's. */
export const assetSchema = Type.Object({
  id: Type.String(),
  name: Type.String(),
  asset_type: Type.Enum(assetTypes),
  data: Type.Object({
    asset_type: Type.Enum(assetTypes),
    engine: Type.String(),
    file_format: Type.Literal('safetensors'),
    trigger_words: Type.Optional(Type.Array(Type.String())),
    checkpoint: Type.Optional(Type.String()),
  }),
  description: Type.String(),
  file_structure: Type.Literal('single_file'),
  is_public: Type.Boolean(),
  size_bytes: Type.Integer(),
  status: Type.Enum(['ready_to_upload', 'uploading', 'ready', 'rejected', 'deleted']),
  status_details: Type.String({ description: 'Why it was rejected.' }),
  tenant_uuid: Type.String({ description: 'The account that uploaded it.' }),
  created_at: Type.String({ description: 'ISO 8601.' }),
  has_picture: Type.Boolean({ description: 'Whether GET /v1/assets/<id>/picture has one.' }),
})

const transferSchema = Type.Union([
  Type.Object({
    type: Type.Literal('presigned-url'),
    put_url: Type.String({ description: 'Accepts the file without a token for a day; parts with Content-Range.' }),
    get_url: Type.String(),
  }),
  Type.Object({ type: Type.Literal('none') }),
])

/** Answer of POST /v1/assets and GET /v1/assets/<id>. */
export const assetTransferSchema = Type.Object({ asset: assetSchema, transfer_api: transferSchema })
/** Answer of GET /v1/assets. */
export const assetListSchema = Type.Object({ data: Type.Array(assetSchema), has_more: Type.Boolean(), total: Type.Integer() })
/** Answer of POST /v1/assets/<id>/complete-upload. */
export const completedUploadSchema = Type.Object({ error: Type.Optional(Type.String({ description: 'Why the file was rejected.' })) })
/** Answer of DELETE /v1/assets/<id>. */
export const deletedAssetSchema = Type.Object({ id: Type.String(), deleted_at: Type.String() })

/** Encodes an asset. */
export function encodeAsset(asset: UploadedAsset): Answer<typeof assetSchema> {
  const type = assetTypeOf(asset)
  return {
    id: asset.id,
    name: asset.name,
    asset_type: type,
    data: {
      asset_type: type,
      engine: engineOf(asset),
      file_format: 'safetensors',
      trigger_words: type === 'lora' || type === 'textual_inversion' ? asset.triggerWords : undefined,
      checkpoint: asset.base ?? undefined,
    },
    description: asset.description,
    file_structure: 'single_file',
    is_public: asset.isPublic,
    size_bytes: asset.bytes,
    status: asset.state === 'awaiting' ? (asset.bytes > 0 ? 'uploading' : 'ready_to_upload') : asset.state,
    status_details: asset.details,
    tenant_uuid: asset.accountId,
    created_at: new Date(asset.createdAt).toISOString(),
    has_picture: asset.picture !== null,
  }
}

/** The original service's type of an asset. A ControlNet is a checkpoint with its own engine. */
export function assetTypeOf({ kind }: Pick<UploadedAsset, 'kind'>): AssetType {
  return kind === 'textual-inversion' ? 'textual_inversion' : kind === 'lora' || kind === 'vae' ? kind : 'checkpoint'
}
