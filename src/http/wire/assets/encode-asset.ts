import { engineOf } from '../../../core/assets/asset-engine.ts'
import type { UploadedAsset } from '../../../core/assets/uploaded-asset.ts'
import type { Answer } from '../answer.ts'
import type { assetSchema } from './asset-answers.ts'
import type { AssetType } from './asset-fields.ts'

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
      ...(type === 'lora' || type === 'textual_inversion' ? { trigger_words: asset.triggerWords } : {}),
      ...(asset.base === null ? {} : { checkpoint: asset.base }),
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
