import type { UploadedAsset } from '../../core/assets/uploaded-asset.ts'
import { ServiceError } from '../../core/error.ts'
import type { AssetDependencies } from './asset-dependencies.ts'
import { putAssetRecord } from './asset-records.ts'

/** Bytes of the picture that shows what an asset does. */
const mostPictureBytes = 512 * 1024

/**
 * Gives an asset the picture that shows what it does.
 *
 * @param picture Checked: its bytes are of its format, `png`, `jpeg` or `webp`.
 * @throws {ServiceError} `validation_error` for one that is too large.
 */
export async function setAssetPicture(
  deps: AssetDependencies,
  { asset, picture }: { readonly asset: UploadedAsset; readonly picture: { readonly bytes: Uint8Array; readonly format: string } },
  options: { readonly signal: AbortSignal },
): Promise<UploadedAsset> {
  const { bytes, format } = picture
  if (bytes.length > mostPictureBytes)
    throw new ServiceError('validation_error', `\`image\` must be a smaller file, at most ${mostPictureBytes / 1024} KB.`, {
      param: 'image',
    })
  await deps.files.putPicture(asset.id, bytes)
  const changed = await putAssetRecord(deps, { ...asset, picture: `image/${format}` }, options)
  deps.library.note(changed)
  return changed
}
