import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ServiceError } from '../../core/error.ts'
import type { AssetFilePart, AssetFiles } from '../../core/ports/asset-files.ts'
import { syncFolder } from '../private-files.ts'
import { toWriteFault } from '../write-fault.ts'
import { readPieces } from './output-file.ts'

const endings = { weights: '.safetensors', unchecked: '.part', picture: '.picture' } as const

/** Keeps uploaded files as `<folder>/<id>.safetensors`, beside `.part` (unchecked) and `.picture`; the folder is made by the first. */
export function openAssetFiles({ folder }: { readonly folder: string }): AssetFiles {
  const at = (id: string, ending: string): string => {
    // Ids are made here; anything else has no business in a path.
    if (!/^asset_[0-9a-f]{32}$/.test(id)) throw new ServiceError('internal_error', "The asset's id is not valid.")
    return join(folder, `${id}${ending}`)
  }
  const sizeOf = async (path: string): Promise<number | null> => (await stat(path).catch(() => null))?.size ?? null
  return {
    path: (id) => at(id, endings.weights),
    async receive(id, content, { from, mayGrowTo, signal }) {
      const path = at(id, endings.unchecked)
      await mkdir(folder, { recursive: true, mode: 0o700 }).catch(refuse)
      const before = (await sizeOf(path)) ?? 0
      if (from !== 0 && from !== before)
        throw new ServiceError(
          'validation_error',
          `Continue at byte ${before}, where the last upload ended, or send the whole file again.`,
          {
            param: 'content-range',
          },
        )
      await using file = await open(path, from === 0 ? 'w' : 'r+', 0o600).catch(refuse)
      let bytes = from
      try {
        for await (const piece of content) {
          signal.throwIfAborted()
          mayGrowTo(bytes + piece.length)
          await file.write(piece, 0, piece.length, bytes)
          bytes += piece.length
        }
      } catch (error) {
        // A client that resumes it first asks how much there is.
        await file.sync().catch(() => undefined)
        throw toWriteFault(error)
      }
      await file.sync().catch(refuse)
      return bytes
    },
    async received(id) {
      for (const ending of [endings.unchecked, endings.weights]) {
        const path = at(id, ending)
        const bytes = await sizeOf(path)
        if (bytes !== null) return { path, bytes }
      }
      return null
    },
    async accept(id) {
      if ((await sizeOf(at(id, endings.unchecked))) !== null) await rename(at(id, endings.unchecked), at(id, endings.weights)).catch(refuse)
      await syncFolder(folder)
    },
    async putPicture(id, bytes) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const temporary = at(id, '.picture-new')
      await using file = await open(temporary, 'w', 0o600)
      await file.writeFile(bytes)
      await file.sync()
      await rename(temporary, at(id, endings.picture))
    },
    async open(id, part: AssetFilePart, { signal }) {
      const path = at(id, endings[part])
      const bytes = await sizeOf(path)
      return bytes === null ? null : { bytes, pieces: readPieces(path, { signal }) }
    },
    async remove(id) {
      for (const ending of ['.picture-new', ...Object.values(endings)]) await rm(at(id, ending), { force: true })
    },
    async *listOld(olderThan) {
      const names = await readdir(folder).catch(() => [])
      const ids = Map.groupBy(names, (name) => name.slice(0, name.indexOf('.')))
      for (const [id, files] of ids) {
        const found = await Promise.all(files.map((name) => stat(join(folder, name)).catch(() => null)))
        if (/^asset_[0-9a-f]{32}$/.test(id) && found.every((stats) => stats === null || stats.mtimeMs < olderThan)) yield id
      }
    },
  }
}

/** @throws the error for a caller. */
function refuse(error: unknown): never {
  throw toWriteFault(error)
}
