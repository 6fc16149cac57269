import { readFile } from 'node:fs/promises'
import { constants, zstdDecompressSync } from 'node:zlib'
import { writeFiles } from '../temporary-folder.ts'

/** Packs of reference models: those with UNets, 207 MB in memory, and those with transformers, 380 MB. */
type Pack = 'checkpoints' | 'transformers'

/** The packed reference models by path, with what diffusers answered (`cases.json`). */
export async function readGoldenCheckpoints(pack: Pack = 'checkpoints'): Promise<ReadonlyMap<string, Buffer>> {
  const options = { params: { [constants.ZSTD_d_windowLogMax]: 28 } }
  const packed = new URL(`../../fixtures/${pack}/${pack}.zst`, import.meta.url)
  const all = zstdDecompressSync(await readFile(packed), options)
  const headBytes = all.readUInt32LE(0)
  const head: readonly { readonly path: string; readonly bytes: number }[] = JSON.parse(all.toString('utf8', 4, 4 + headBytes))
  let at = 4 + headBytes
  return new Map(
    head.map(({ path, bytes }) => {
      at += bytes
      return [path, all.subarray(at - bytes, at)]
    }),
  )
}

/** Writes those of the packed files that a test wants into its folder. */
export async function unpackGoldenCheckpoints(
  folder: string,
  wanted: (path: string) => boolean = () => true,
  pack: Pack = 'checkpoints',
): Promise<void> {
  const files = [...(await readGoldenCheckpoints(pack))].filter(([path]) => wanted(path))
  await writeFiles(folder, Object.fromEntries(files))
}
