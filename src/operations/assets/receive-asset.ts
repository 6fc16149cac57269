import type { UploadedAsset } from '../../core/assets/uploaded-asset.ts'
import { ServiceError } from '../../core/error.ts'
import type { AssetDependencies } from './asset-dependencies.ts'
import { listAssetRecords, putAssetRecord } from './asset-records.ts'

/**
 * Takes in the bytes of an asset's file, from where the last upload of it ended or anew.
 *
 * @throws {ServiceError} `not_found` when nothing is awaited, `quota_exceeded` when the account's files would be more than it may have,
 *   `validation_error` as soon as the first bytes show another kind of file, and what receiving throws.
 */
export async function receiveAsset(
  deps: AssetDependencies,
  {
    asset,
    content,
    from,
    length,
  }: { readonly asset: UploadedAsset; readonly content: AsyncIterable<Uint8Array>; readonly from: number; readonly length: number | null },
  options: { readonly signal: AbortSignal },
): Promise<UploadedAsset> {
  if (asset.state !== 'awaiting') throw new ServiceError('not_found', 'This asset does not expect a file: create another asset.')
  const { accountId, id } = asset
  using upload = deps.uploads.begin(asset)
  const others = (await listAssetRecords(deps, { accountId }, options)).filter((each) => each.id !== id)
  const stored = others.reduce((sum, { bytes, id: other }) => sum + (deps.uploads.has(other) ? 0 : bytes), 0)
  const mayGrowTo = (bytes: number): void => {
    if (stored + deps.uploads.bytesBeside(accountId, id) + bytes > deps.limits.bytesPerAccount)
      throw new ServiceError('quota_exceeded', `Delete an asset first: files of one account may take ${deps.limits.bytesPerAccount} bytes.`)
    upload.grow(bytes)
  }
  if (length !== null) mayGrowTo(from + length)
  const bytes = await deps.files.receive(id, from === 0 ? checkStart(content) : content, { ...options, from, mayGrowTo })
  return await putAssetRecord(deps, { ...asset, bytes }, options)
}

/** Bytes by which a safetensors file shows: the length of its header, little end first, and the brace that this begins with. */
const startBytes = 9

/** Passes a file's pieces on; ends with an error when its first bytes are not those of a safetensors file. */
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
  // Zip archives are what PyTorch writes; older ones are bare pickles.
  if (text.startsWith('PK') || start[0] === 0x80) return 'a pickle, which can run code when it is read; convert it to safetensors'
  return 'no safetensors file'
}
