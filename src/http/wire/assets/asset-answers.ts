import Type from 'typebox'
import { assetTypes } from './asset-fields.ts'

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
