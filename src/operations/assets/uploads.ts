import type { Caller } from '../../core/access-token.ts'
import { assetReference, type UploadedAsset } from '../../core/assets/uploaded-asset.ts'
import { ServiceError } from '../../core/error.ts'
import type { Abortable } from '../../core/waiting.ts'
import { findAssetRecord, judgeUpload, listAssetRecords, putAssetRecord } from './asset-records.ts'
import type { AssetDependencies } from './assets.ts'

/** Maximum number of assets per account. */
const maxAssets = 1000

/** The declaration of a new upload. */
export type NewAsset = Pick<UploadedAsset, 'name' | 'kind' | 'family' | 'isPublic' | 'description' | 'triggerWords' | 'base'>

/**
 * Creates an asset that awaits its file.
 *
 * @param secrets.id Random digits for its id.
 * @param secrets.linkKey Random secret for signing its links.
 * @throws {ServiceError} `validation_error` for a name that is taken, `insufficient_scope` if it is to be public and its maker is not an
 * owner, `quota_exceeded` if the account is at its limit.
 */
export async function createAsset(
  deps: AssetDependencies,
  {
    caller,
    asset,
    secrets,
  }: { readonly caller: Caller; readonly asset: NewAsset; readonly secrets: { readonly id: string; readonly linkKey: string } },
  options: Abortable,
): Promise<UploadedAsset> {
  const { accountId } = caller
  if (asset.isPublic && !(await isOwner(deps, accountId, options)))
    throw new ServiceError('insufficient_scope', 'Leave out `is_public`: only owners can share assets with every account.', {
      param: 'is_public',
    })
  const own = await listAssetRecords(deps, { accountId }, options)
  if (own.length >= maxAssets) throw new ServiceError('quota_exceeded', `Delete an asset first: an account can have at most ${maxAssets}.`)
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
  // Two concurrent calls may have found the name free; the first in the list keeps it.
  const rivals = (await listAssetRecords(deps, { accountId }, options)).filter(living)
  if (rivals.at(-1)?.id === made.id) return made
  await deps.documents.remove({ kind: 'asset', id: made.id, accountId }, options)
  throw nameTaken(asset.name)
}

/** Whether an account is an owner of the service. */
export async function isOwner({ accounts }: Pick<AssetDependencies, 'accounts'>, accountId: string, options: Abortable): Promise<boolean> {
  return (await accounts.find(accountId, options))?.role === 'owner'
}

function nameTaken(name: string): ServiceError {
  const message = `\`name\` must be different: ${name} is already in use.`
  return new ServiceError('validation_error', message, { param: 'name', faults: [{ path: ['name'], message, kind: 'conflict' }] })
}

/**
 * Receives an asset's file, from the end of the last upload or from the start.
 *
 * @throws {ServiceError} `not_found` if no file is awaited, `concurrency_limit_exceeded` during another upload or the check,
 * `quota_exceeded` if the account's files exceed its limit, `validation_error` as soon as the first bytes show another kind of file, and
 * the errors of {@link AssetFiles.receive}.
 */
export async function receiveAsset(
  deps: AssetDependencies,
  {
    asset,
    content,
    from,
    length,
  }: { readonly asset: UploadedAsset; readonly content: AsyncIterable<Uint8Array>; readonly from: number; readonly length: number | null },
  options: Abortable,
): Promise<UploadedAsset> {
  const { accountId, id } = asset
  using upload = deps.uploads.begin(asset)
  const records = await listAssetRecords(deps, { accountId }, options)
  // Its upload may have been completed since the caller found it.
  const current = records.find((each) => each.id === id)
  if (current?.state !== 'awaiting') throw new ServiceError('not_found', 'This asset does not expect a file: create another asset.')
  const others = records.filter((each) => each.id !== id)
  const stored = new Map(await Promise.all(others.map(async (each) => [each.id, await bytesOf(deps, each)] as const)))
  const sum = stored.values().reduce((total, bytes) => total + bytes, 0)
  const requireRoom = (bytes: number): void => {
    let beside = sum
    for (const [other, size] of upload.sizesBeside()) beside += size - (stored.get(other) ?? 0)
    if (beside + bytes > deps.limits.bytesPerAccount)
      throw new ServiceError('quota_exceeded', `Delete an asset first: files of one account may take ${deps.limits.bytesPerAccount} bytes.`)
  }
  const mayGrowTo = (bytes: number): void => {
    requireRoom(bytes)
    upload.grow(bytes)
  }
  if (length !== null) requireRoom(from + length)
  const bytes = await deps.files.receive(id, from === 0 ? checkStart(content) : content, { ...options, from, mayGrowTo })
  return await putAssetRecord(deps, { ...current, bytes }, options)
}

/** Bytes of an asset's file. An upload that was broken off has stored more than its record says. */
async function bytesOf({ files }: Pick<AssetDependencies, 'files'>, { id, state, bytes }: UploadedAsset): Promise<number> {
  return state === 'awaiting' ? ((await files.received(id))?.bytes ?? 0) : bytes
}

/** Bytes needed to recognize a safetensors file: the little-endian length of its header, and the header's opening brace. */
const startBytes = 9

/** Passes a file on; fails if its first bytes are not those of a safetensors file. */
async function* checkStart(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  let start: readonly number[] = []
  for await (const piece of content) {
    if (start.length < startBytes) {
      start = [...start, ...piece.subarray(0, startBytes - start.length)]
      const other = start.length < startBytes ? null : otherKind(start)
      if (other !== null) throw new ServiceError('validation_error', `The file is ${other}.`, { param: 'body' })
    }
    yield piece
  }
}

function otherKind(start: readonly number[]): string | null {
  if (start[8] === 0x7b && start.slice(4, 8).every((byte) => byte === 0)) return null
  const text = String.fromCharCode(...start.slice(0, 4))
  if (text === 'GGUF') return 'a GGUF file; put it into a models folder of the service'
  // PyTorch writes zip archives; older versions wrote bare pickles.
  if (text.startsWith('PK') || start[0] === 0x80) return 'a pickle, which can run code when it is read; convert it to safetensors'
  return 'no safetensors file'
}

/**
 * Checks an asset's file and makes it available to requests, or removes it and stores the reason in its record.
 *
 * @throws {ServiceError} `validation_error` if no file was received, `concurrency_limit_exceeded` during an upload or another check.
 */
export async function completeAsset(deps: AssetDependencies, asset: UploadedAsset, options: Abortable): Promise<UploadedAsset> {
  if (asset.state === 'ready') return asset
  // Until the checked file is accepted, no upload may change it.
  using _upload = deps.uploads.begin(asset)
  const current = await findAssetRecord(deps, asset.id, options)
  if (current?.state === 'ready') return current
  const received = current?.state === 'awaiting' ? await deps.files.received(asset.id) : null
  if (current === null || received === null)
    throw new ServiceError('validation_error', "Upload the complete file to the asset's `put_url` first.", { param: 'asset_id' })
  const judged = judgeUpload(current, await deps.examine(received.path, assetReference(current)))
  if ('fault' in judged) {
    await deps.files.remove(current.id)
    return putAssetRecord(deps, { ...current, state: 'rejected', details: judged.fault, bytes: 0, picture: null }, options)
  }
  await deps.files.accept(current.id)
  const ready = await putAssetRecord(deps, { ...current, state: 'ready', found: judged.found, bytes: received.bytes }, options)
  deps.library.admit(ready)
  return ready
}
