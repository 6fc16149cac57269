import type { Caller } from '../../core/access-token.ts'
import type { UploadedAsset } from '../../core/assets/uploaded-asset.ts'
import { ServiceError } from '../../core/error.ts'
import type { AssetDependencies } from './asset-dependencies.ts'
import { goesBy } from './asset-library.ts'
import { listAssetRecords } from './asset-records.ts'

type Options = { readonly signal: AbortSignal }

/** Every asset that an account sees: its own, newest first, then what others made public. */
export async function listVisibleAssets(
  deps: Pick<AssetDependencies, 'documents' | 'library'>,
  { accountId }: Pick<Caller, 'accountId'>,
  options: Options,
): Promise<readonly UploadedAsset[]> {
  const own = (await listAssetRecords(deps, { accountId }, options)).filter(({ state }) => state !== 'deleted')
  const shared = deps.library
    .entries()
    .map(({ asset }) => asset)
    .filter((asset) => asset.isPublic && asset.state === 'ready' && asset.accountId !== accountId)
  return [...own, ...shared]
}

/**
 * An asset by its id, its name, or its owner's id and its name.
 *
 * @throws {ServiceError} `not_found`, the same for one that is another's and for one that is not.
 */
export async function findAsset(
  deps: Pick<AssetDependencies, 'documents' | 'library'>,
  { caller, name }: { readonly caller: Pick<Caller, 'accountId'>; readonly name: string },
  options: Options,
): Promise<UploadedAsset> {
  const found = (await listVisibleAssets(deps, caller, options)).find((asset) => goesBy(asset, name))
  if (found === undefined) throw new ServiceError('not_found', 'This asset does not exist; GET /v1/assets lists yours.')
  return found
}
