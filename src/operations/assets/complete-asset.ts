import { assetReference, type UploadedAsset } from '../../core/assets/uploaded-asset.ts'
import { ServiceError } from '../../core/error.ts'
import type { AssetDependencies } from './asset-dependencies.ts'
import { putAssetRecord } from './asset-records.ts'
import { judgeUpload } from './judge-upload.ts'

/**
 * Checks the file of an asset, after which requests may name it, or which is removed with the reason in its record.
 *
 * @throws {ServiceError} `validation_error` when no file has come in or one still does.
 */
export async function completeAsset(
  deps: AssetDependencies,
  asset: UploadedAsset,
  options: { readonly signal: AbortSignal },
): Promise<UploadedAsset> {
  if (asset.state === 'ready') return asset
  const received = asset.state === 'awaiting' ? await deps.files.received(asset.id) : null
  if (received === null || deps.uploads.has(asset.id))
    throw new ServiceError('validation_error', "Upload the complete file to the asset's `put_url` first.", { param: 'asset_id' })
  const judged = judgeUpload(asset, await deps.examine(received.path, assetReference(asset)))
  if ('fault' in judged) {
    await deps.files.remove(asset.id)
    return putAssetRecord(deps, { ...asset, state: 'rejected', details: judged.fault, bytes: 0 }, options)
  }
  await deps.files.accept(asset.id)
  const ready = await putAssetRecord(deps, { ...asset, state: 'ready', found: judged.found, bytes: received.bytes }, options)
  deps.library.admit(ready)
  return ready
}
