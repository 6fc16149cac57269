import type { Caller } from '../../core/access-token.ts'
import type { ExaminedWeights } from '../../core/assets/asset.ts'
import type { UploadedAsset } from '../../core/assets/uploaded-asset.ts'
import { ServiceError } from '../../core/error.ts'
import type { AssetFiles } from '../../core/ports/asset-files.ts'
import type { Store } from '../../core/ports/store.ts'
import { type Abortable, neverAborted } from '../../core/waiting.ts'
import { type AssetLibrary, hasName } from './asset-library.ts'
import { listAssetRecords, putAssetRecord } from './asset-records.ts'
import type { UploadsUnderWay } from './uploads-under-way.ts'

/** All assets visible to an account: its own, newest first, then public ones of others. */
export async function listVisibleAssets(
  deps: Pick<AssetDependencies, 'documents' | 'library'>,
  { accountId }: Pick<Caller, 'accountId'>,
  options: Abortable,
): Promise<readonly UploadedAsset[]> {
  const own = (await listAssetRecords(deps, { accountId }, options)).filter(({ state }) => state !== 'deleted')
  const shared = deps.library
    .entries()
    .map(({ asset }) => asset)
    .filter((asset) => asset.isPublic && asset.state === 'ready' && asset.accountId !== accountId)
  return [...own, ...shared]
}

/**
 * Finds an asset by id, by name, or by its owner's id and its name.
 *
 * @throws {ServiceError} `not_found`, also for another account's asset.
 */
export async function findAsset(
  deps: Pick<AssetDependencies, 'documents' | 'library'>,
  { caller, name }: { readonly caller: Pick<Caller, 'accountId'>; readonly name: string },
  options: Abortable,
): Promise<UploadedAsset> {
  const found = (await listVisibleAssets(deps, caller, options)).find((asset) => hasName(asset, name))
  if (found === undefined) throw new ServiceError('not_found', 'This asset does not exist; GET /v1/assets lists yours.')
  return found
}

/** Maximum size of an asset's preview picture in bytes. */
const maxPictureBytes = 512 * 1024

/**
 * Sets the preview picture of an asset.
 *
 * @param picture Its bytes must already be checked to be `png`, `jpeg` or `webp`.
 * @throws {ServiceError} `validation_error` if it is too large, `idempotency_conflict` if the asset was changed meanwhile, and the errors of
 * {@link AssetFiles.putPicture}; the earlier picture then stays.
 */
export async function setAssetPicture(
  deps: AssetDependencies,
  { asset, picture }: { readonly asset: UploadedAsset; readonly picture: { readonly bytes: Uint8Array; readonly format: string } },
  options: Abortable,
): Promise<UploadedAsset> {
  const { bytes, format } = picture
  if (bytes.length > maxPictureBytes)
    throw new ServiceError('validation_error', `\`image\` must be a smaller file, at most ${maxPictureBytes / 1024} KB.`, {
      param: 'image',
    })
  // First, so that a call refused because of another change leaves the picture as it is.
  const changed = await putAssetRecord(deps, { ...asset, picture: `image/${format}` }, options)
  try {
    await deps.files.putPicture(asset.id, bytes)
  } catch (error) {
    deps.library.note(await putAssetRecord(deps, { ...changed, picture: asset.picture }, neverAborted).catch(() => changed))
    throw error
  }
  deps.library.note(changed)
  return changed
}

/** Upload limits per account. */
export interface AssetLimits {
  /** Maximum bytes of all its files together. */
  readonly bytesPerAccount: number
}

/** Dependencies of operations on uploaded assets. */
export interface AssetDependencies extends Pick<Store, 'documents' | 'accounts' | 'clock'> {
  readonly files: AssetFiles
  readonly library: AssetLibrary
  readonly uploads: UploadsUnderWay
  /** Reads the header of the file at a path; `name` is used in the result. */
  readonly examine: (path: string, name: string) => Promise<ExaminedWeights>
  readonly limits: AssetLimits
}
