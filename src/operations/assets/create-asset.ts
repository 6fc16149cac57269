import type { Caller } from '../../core/access-token.ts'
import type { UploadedAsset } from '../../core/assets/uploaded-asset.ts'
import { ServiceError } from '../../core/error.ts'
import type { AssetDependencies } from './asset-dependencies.ts'
import { listAssetRecords, putAssetRecord } from './asset-records.ts'

/** Assets that one account may have at once. */
const mostAssets = 1000

/** What an account says of what it will upload. */
export type NewAsset = Pick<UploadedAsset, 'name' | 'kind' | 'family' | 'isPublic' | 'description' | 'triggerWords' | 'base'>

/**
 * Makes an asset whose file is to come.
 *
 * @param secrets.id Digits of its id, `secrets.linkKey` what signs its links; both random.
 * @throws {ServiceError} `validation_error` for a name that is taken, `insufficient_scope` when it would be public and its maker is no owner,
 *   `quota_exceeded` when the account has as many as it may.
 */
export async function createAsset(
  deps: AssetDependencies,
  {
    caller,
    asset,
    secrets,
  }: { readonly caller: Caller; readonly asset: NewAsset; readonly secrets: { readonly id: string; readonly linkKey: string } },
  options: { readonly signal: AbortSignal },
): Promise<UploadedAsset> {
  const { accountId } = caller
  if (asset.isPublic && !(await isOwner(deps, accountId, options)))
    throw new ServiceError('insufficient_scope', 'Leave out `is_public`: only owners can share assets with every account.', {
      param: 'is_public',
    })
  const own = await listAssetRecords(deps, { accountId }, options)
  if (own.length >= mostAssets)
    throw new ServiceError('quota_exceeded', `Delete an asset first: an account can have at most ${mostAssets}.`)
  const catalog = deps.library.catalogFor(accountId)
  const isInstalled = catalog.list().some(({ id }) => id === asset.name) || catalog.listAssets().some(({ name }) => name === asset.name)
  const living = (each: UploadedAsset): boolean => each.name === asset.name && each.state !== 'deleted'
  const isShared = deps.library.entries().some((entry) => entry.asset.isPublic && living(entry.asset))
  if (isInstalled || isShared || own.some(living)) throw nameTaken(asset.name)
  const made = await putAssetRecord(
    deps,
    {
      ...asset,
      id: `asset_${secrets.id}`,
      accountId,
      state: 'awaiting',
      details: '',
      bytes: 0,
      found: null,
      linkKey: secrets.linkKey,
      picture: null,
      createdAt: deps.clock.now(),
      deletedAt: null,
      version: 0,
    },
    options,
  )
  // Two may have found the name free at once: the one that lists first keeps it.
  const rivals = (await listAssetRecords(deps, { accountId }, options)).filter(living)
  if (rivals.at(-1)?.id === made.id) return made
  await deps.documents.remove({ kind: 'asset', id: made.id, accountId }, options)
  throw nameTaken(asset.name)
}

/** Whether an account may act for all. */
export async function isOwner(
  { accounts }: Pick<AssetDependencies, 'accounts'>,
  accountId: string,
  options: { readonly signal: AbortSignal },
): Promise<boolean> {
  return (await accounts.find(accountId, options))?.role === 'owner'
}

function nameTaken(name: string): ServiceError {
  const message = `\`name\` must be different: ${name} is already in use.`
  return new ServiceError('validation_error', message, { param: 'name', faults: [{ path: ['name'], message, kind: 'conflict' }] })
}
