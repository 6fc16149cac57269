import type { AssetDescriptor, UnusableFile } from '../../core/assets/asset.ts'
import type { CatalogEntry } from '../catalog-entry.ts'
import type { CatalogFault } from '../catalog-fault.ts'
import { readLooseGguf } from '../gguf/read-loose-gguf.ts'
import { examineWeights } from './examine-weights.ts'
import { isPickle, isUsableName, weightName } from './weight-file-name.ts'

/** A file of weights that no `model.json` speaks for. */
export interface LooseFile {
  /** Absolute path. */
  readonly path: string
  /** Place of its folder in the list of folders. */
  readonly source: number
}

/** What loose files of weights turned out to be. */
export interface ReadLooseFiles {
  readonly entries: readonly CatalogEntry[]
  readonly assets: readonly AssetDescriptor[]
  readonly unusable: readonly UnusableFile[]
  readonly faults: readonly CatalogFault[]
}

const nothing: ReadLooseFiles = { entries: [], assets: [], unusable: [], faults: [] }

/** Reads the headers of loose files: checkpoints are models, the rest are assets. */
export async function readLooseFiles(files: readonly LooseFile[]): Promise<ReadLooseFiles> {
  const read = await Promise.all(files.map(readLooseFile))
  return {
    entries: read.flatMap(({ entries }) => entries),
    assets: read.flatMap(({ assets }) => assets),
    unusable: read.flatMap(({ unusable }) => unusable),
    faults: read.flatMap(({ faults }) => faults),
  }
}

async function readLooseFile({ path, source }: LooseFile): Promise<ReadLooseFiles> {
  const name = weightName(path)
  const fault = (message: string): ReadLooseFiles => ({ ...nothing, faults: [{ file: path, field: '', message }] })
  const unusable = (reason: string): ReadLooseFiles => ({ ...nothing, unusable: [{ name, file: path, reason }] })
  if (!isUsableName(name)) return fault('cannot be named in requests; rename it without <>:"/\\|?* and control characters.')
  if (isPickle(path)) return unusable('is a pickle, which can run code when it is read; convert it to safetensors')
  if (/\.gguf$/iu.test(path)) {
    const read = await readLooseGguf({ path, source, name })
    if (read === null) return nothing
    if ('fault' in read) return fault(`${read.fault}; copy it again or remove it.`)
    return 'unusable' in read ? unusable(read.unusable) : { ...nothing, entries: [read.entry] }
  }
  const examined = await examineWeights(path, name).catch(() => ({ kind: 'faulty', reason: 'cannot be read' }) as const)
  switch (examined.kind) {
    case 'faulty':
      return fault(`${examined.reason}; copy it again or remove it.`)
    case 'unusable':
      return unusable(examined.reason)
    case 'checkpoint':
    case 'upscaler':
      return { ...nothing, entries: [{ source, modelFile: path, descriptor: examined.descriptor }] }
    case 'asset':
      return { ...nothing, assets: [examined.descriptor] }
  }
}
