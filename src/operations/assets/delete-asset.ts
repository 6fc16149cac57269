import type { Caller } from '../../core/access-token.ts'
import type { UploadedAsset } from '../../core/assets/uploaded-asset.ts'
import { ServiceError } from '../../core/error.ts'
import type { AssetDependencies } from './asset-dependencies.ts'
import { putAssetRecord } from './asset-records.ts'
import { isOwner } from './create-asset.ts'

type Options = { readonly signal: AbortSignal }

/**
 * Deletes an asset: no new request finds it. Its file stays until no work is left that was asked for before.
 *
 * @returns When, in Unix milliseconds.
 * @throws {ServiceError} what {@link requireOwn} throws.
 */
export async function deleteAsset(
  deps: AssetDependencies,
  { caller, asset }: { readonly caller: Caller; readonly asset: UploadedAsset },
  options: Options,
): Promise<number> {
  await requireOwn(deps, { caller, asset }, options)
  const deletedAt = deps.clock.now()
  if (asset.state === 'ready') {
    deps.library.note(await putAssetRecord(deps, { ...asset, state: 'deleted', deletedAt }, options))
    return deletedAt
  }
  // Nothing can have named it.
  await deps.documents.remove({ kind: 'asset', id: asset.id, accountId: asset.accountId }, options)
  if (!deps.uploads.has(asset.id)) await deps.files.remove(asset.id)
  return deletedAt
}

/** @throws {ServiceError} `insufficient_scope` when an asset is neither the caller's nor, being public, an owner's to change. */
export async function requireOwn(
  deps: Pick<AssetDependencies, 'accounts'>,
  { caller, asset }: { readonly caller: Caller; readonly asset: UploadedAsset },
  options: Options,
): Promise<void> {
  if (asset.accountId === caller.accountId || (await isOwner(deps, caller.accountId, options))) return
  throw new ServiceError('insufficient_scope', 'Only its account or an owner can change a public asset.')
}
