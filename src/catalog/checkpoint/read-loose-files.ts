import { open } from 'node:fs/promises'
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
  /** The given folder that it was found in. */
  readonly root: string
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

/** Reads the headers of loose files: checkpoints are models, the rest are assets; what is faulty is unusable too. */
export async function readLooseFiles(files: readonly LooseFile[], names: ReadonlyMap<string, string>): Promise<ReadLooseFiles> {
  const read = await Promise.all(files.map((file) => readLooseFile(file, names.get(file.path) ?? weightName(file.path))))
  return {
    entries: read.flatMap(({ entries }) => entries),
    assets: read.flatMap(({ assets }) => assets),
    unusable: read.flatMap(({ unusable }) => unusable),
    faults: read.flatMap(({ faults }) => faults),
  }
}

/** What a file of weights holds in place of weights; null = maybe weights. */
async function findForeignContent(path: string): Promise<string | null> {
  try {
    await using file = await open(path, 'r')
    const { buffer, bytesRead } = await file.read(Buffer.alloc(512), 0, 512, 0)
    const start = buffer.toString('latin1', 0, bytesRead).trimStart().toLowerCase()
    if (bytesRead === 0) return 'is empty; download it again'
    if (start.startsWith('version https://git-lfs'))
      return 'is a pointer of Git LFS, not the file itself; run git lfs pull, or download the file'
    return /^(?:<!doctype html|<html|<\?xml)/u.test(start)
      ? 'is a web page, not weights; download the file itself, with a login if its site asks for one'
      : null
  } catch {
    return null
  }
}

async function readLooseFile({ path, source }: LooseFile, name: string): Promise<ReadLooseFiles> {
  const fault = (message: string): ReadLooseFiles => {
    const reason = message.replace(/\.$/u, '')
    return { ...nothing, faults: [{ file: path, field: '', message }], unusable: [{ name, file: path, reason }] }
  }
  const unusable = (reason: string): ReadLooseFiles => ({ ...nothing, unusable: [{ name, file: path, reason }] })
  if (!isUsableName(weightName(path))) return fault('cannot be named in requests; rename it without <>:"/\\|?* and control characters.')
  const foreign = await findForeignContent(path)
  if (foreign !== null) return fault(`${foreign}.`)
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
