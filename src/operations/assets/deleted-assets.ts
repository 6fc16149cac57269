import type { Caller } from '../../core/access-token.ts'
import type { UploadedAsset } from '../../core/assets/uploaded-asset.ts'
import { ServiceError } from '../../core/error.ts'
import type { InferenceLog } from '../../core/ports/inference-log.ts'
import type { Abortable } from '../../core/waiting.ts'
import { findAssetRecord, putAssetRecord } from './asset-records.ts'
import type { AssetDependencies } from './assets.ts'
import { isOwner } from './uploads.ts'

/**
 * Deletes an asset: new requests no longer find it. Its file stays until earlier work has ended.
 *
 * @returns Time of deletion in Unix milliseconds.
 * @throws {ServiceError} as {@link requireOwn}.
 */
export async function deleteAsset(
  deps: AssetDependencies,
  { caller, asset }: { readonly caller: Caller; readonly asset: UploadedAsset },
  options: Abortable,
): Promise<number> {
  await requireOwn(deps, { caller, asset }, options)
  const deletedAt = deps.clock.now()
  if (asset.state === 'ready') {
    deps.library.note(await putAssetRecord(deps, { ...asset, state: 'deleted', deletedAt }, options))
    return deletedAt
  }
  // No request can have named it.
  await deps.documents.remove({ kind: 'asset', id: asset.id, accountId: asset.accountId }, options)
  if (!deps.uploads.has(asset.id)) await deps.files.remove(asset.id)
  return deletedAt
}

/** @throws {ServiceError} `insufficient_scope` unless the asset is the caller's own, or public and the caller is an owner. */
export async function requireOwn(
  deps: Pick<AssetDependencies, 'accounts'>,
  { caller, asset }: { readonly caller: Caller; readonly asset: UploadedAsset },
  options: Abortable,
): Promise<void> {
  if (asset.accountId === caller.accountId || (await isOwner(deps, caller.accountId, options))) return
  throw new ServiceError('insufficient_scope', 'Only its account or an owner can change a public asset.')
}

export interface RemovalDependencies extends AssetDependencies {
  readonly log: InferenceLog
  /** Called with each model whose file is deleted. */
  readonly onModelGone: (id: string) => void
}

export interface RemovalTimes {
  /** Maximum wait and run time of a synchronous request. */
  readonly interactiveMs: number
  /** Maximum wait and run time of an asynchronous request. */
  readonly deferredMs: number
}

/** Age before an unknown file counts as orphaned, since its record may still be on its way. */
const orphanAfterMs = 60 * 60 * 1000

/** Removes the files of deleted assets that no work can use any more, and orphaned files, such as those of abandoned uploads. */
export async function removeDeletedAssets(deps: RemovalDependencies, times: RemovalTimes, options: Abortable): Promise<void> {
  await deps.library.refresh(options)
  for (const { asset, weights } of deps.library.entries()) {
    if (asset.state !== 'deleted' || !(await isUnused(deps, { asset, times }, options))) continue
    if ('model' in weights) deps.onModelGone(weights.model.id)
    await deps.documents.remove({ kind: 'asset', id: asset.id, accountId: asset.accountId }, options)
    await deps.files.remove(asset.id)
    deps.library.forget(asset.id)
  }
  for await (const id of deps.files.listOld(deps.clock.now() - orphanAfterMs)) {
    options.signal.throwIfAborted()
    if (!deps.uploads.has(id) && (await findAssetRecord(deps, id, options)) === null) await deps.files.remove(id)
  }
}

/** Whether all requests made before an asset's deletion must have ended. */
async function isUnused(
  deps: RemovalDependencies,
  { asset, times }: { readonly asset: UploadedAsset; readonly times: RemovalTimes },
  options: Abortable,
): Promise<boolean> {
  const age = deps.clock.now() - (asset.deletedAt ?? 0)
  if (age < times.interactiveMs) return false
  if (age >= times.deferredMs) return true
  const accounts = asset.isPublic ? (await deps.accounts.list(options)).map(({ id }) => id) : [asset.accountId]
  for (const accountId of accounts)
    for (const status of ['pending', 'running'] as const)
      if ((await deps.log.list({ accountId, status, limit: 1, after: null }, options)).inferences.length > 0) return false
  return true
}
