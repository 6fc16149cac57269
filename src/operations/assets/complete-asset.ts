import type { ExaminedWeights } from '../../core/assets/asset.ts'
import { assetReference, type UploadedAsset } from '../../core/assets/uploaded-asset.ts'
import { familyNames } from '../../core/checkpoint/checkpoint-family.ts'
import { ServiceError } from '../../core/error.ts'
import { familyOf } from '../../core/model.ts'
import type { AssetDependencies } from './asset-dependencies.ts'
import { putAssetRecord } from './asset-records.ts'

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
    throw new ServiceError('validation_error', "Send the asset's file to its `put_url` first, whole.", { param: 'asset_id' })
  const fault = findFault(asset, await deps.examine(received.path, assetReference(asset)))
  if (fault !== null) {
    await deps.files.remove(asset.id)
    return putAssetRecord(deps, { ...asset, state: 'rejected', details: `The file ${fault}.`, bytes: 0 }, options)
  }
  await deps.files.accept(asset.id)
  const ready = await putAssetRecord(deps, { ...asset, state: 'ready', bytes: received.bytes }, options)
  await deps.library.admit(ready)
  return ready
}

/** Why a file is not the asset that was announced, completing a sentence that begins with the file. */
function findFault({ kind, family }: UploadedAsset, found: ExaminedWeights): string | null {
  if (found.kind === 'faulty' || found.kind === 'unusable') return found.reason
  if (found.kind === 'upscaler') return 'holds an upscaler, which its operator puts into a models folder'
  const is = found.kind === 'checkpoint' ? { kind: found.kind, family: familyOf(found.descriptor) } : found.descriptor
  if (is.kind !== kind) return `holds a ${is.kind}, not a ${kind}`
  if (is.family !== null && is.family !== family) return `is for ${familyNames[is.family]}, not for ${familyNames[family]}`
  return null
}
