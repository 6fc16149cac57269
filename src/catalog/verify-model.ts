import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { ModelDescriptor } from '../core/model.ts'
import type { CatalogFault } from './catalog-fault.ts'
import { checkFiles } from './check-files.ts'
import { checkModelFile } from './check-model-file.ts'
import { readGguf } from './gguf/read-gguf.ts'
import type { ListedFile, ModelFile } from './model-file.ts'

/** Progress of a long file operation over all files. */
export interface FileProgress {
  /** The current file, relative to the model's folder. */
  readonly path: string
  readonly bytesDone: number
  readonly bytesTotal: number
}

/**
 * Compares all files listed in `model.json` with their checksums, and checks the header of an unlisted GGUF file; takes seconds per
 * gigabyte.
 *
 * @returns The mismatches; empty = the model is intact.
 */
export async function verifyModel(
  { folder }: Pick<ModelDescriptor, 'folder'>,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (progress: FileProgress) => void },
): Promise<readonly CatalogFault[]> {
  const file = join(folder, 'model.json')
  // A loose weights file has no checksum; its header was checked when it was found.
  if ((await stat(file).catch(() => null)) === null) return []
  const checked = checkModelFile(file, await readFile(file, 'utf8'), { confined: false })
  if ('faults' in checked) return checked.faults
  const present = await checkFiles(checked.modelFile, folder)
  if ('faults' in present) return present.faults

  const listed = Object.entries(checked.modelFile.files ?? {})
  const faults: CatalogFault[] = [...(await findUnlistedDamage(checked.modelFile, folder))]
  const bytesTotal = listed.reduce((sum, [, { bytes }]) => sum + bytes, 0)
  let bytesBefore = 0
  for (const [path, { bytes, sha256 }] of listed) {
    const base = bytesBefore
    const actual = await hashFile(join(folder, path), {
      signal,
      onBytes: (done) => onProgress({ path, bytesDone: base + done, bytesTotal }),
    })
    if (actual !== sha256) faults.push(describeDamage(join(folder, path), actual, sha256))
    bytesBefore += bytes
  }
  return faults
}

/** Checks the header of a file without a checksum. */
async function findUnlistedDamage(modelFile: ModelFile, folder: string): Promise<readonly CatalogFault[]> {
  if (modelFile.format !== 'gguf' || modelFile.files?.[modelFile.file] !== undefined) return []
  const file = join(folder, modelFile.file)
  const read = await readGguf(file)
  return 'fault' in read ? [{ file, field: '', message: `${read.fault}; copy it again.` }] : []
}

/** Hex SHA-256 of a file, computed in pieces. */
export async function hashFile(
  file: string,
  { signal, onBytes }: { readonly signal: AbortSignal; readonly onBytes: (done: number) => void },
): Promise<string> {
  const hash = createHash('sha256')
  let done = 0
  await pipeline(
    createReadStream(file, { highWaterMark: 1 << 20 }),
    async (pieces: AsyncIterable<Buffer>) => {
      for await (const piece of pieces) {
        hash.update(piece)
        done += piece.length
        onBytes(done)
      }
    },
    { signal },
  )
  return hash.digest('hex')
}

function describeDamage(file: string, actual: string, stated: ListedFile['sha256']): CatalogFault {
  return { file, field: '', message: `is damaged: its SHA-256 is ${actual} instead of ${stated}; copy it again.` }
}
