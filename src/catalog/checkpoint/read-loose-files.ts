import { open } from 'node:fs/promises'
import type { AssetDescriptor, UnusableFile } from '../../core/assets/asset.ts'
import type { ImageModelDescriptor } from '../../core/model.ts'
import type { CatalogEntry } from '../catalog-entry.ts'
import type { CatalogFault } from '../catalog-fault.ts'
import { readLooseGguf } from '../gguf/read-loose-gguf.ts'
import { type FoundPart, findParts, type IncompleteModel, withParts } from './assemble-models.ts'
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

type Incomplete = IncompleteModel & Pick<LooseFile, 'source'> & { readonly descriptor: ImageModelDescriptor }

/** What one file turned out to be; models that lack parts are put together when all files were read. */
interface ReadFile extends ReadLooseFiles {
  readonly incomplete: readonly Incomplete[]
  readonly parts: readonly (FoundPart & Pick<LooseFile, 'source'>)[]
}

const nothing: ReadFile = { entries: [], assets: [], unusable: [], faults: [], incomplete: [], parts: [] }

/** Reads the headers of loose files: checkpoints are models, the rest are assets or parts of models; what is faulty is unusable too. */
export async function readLooseFiles(files: readonly LooseFile[], names: ReadonlyMap<string, string>): Promise<ReadLooseFiles> {
  const read = await Promise.all(files.map((file) => readLooseFile(file, names.get(file.path) ?? weightName(file.path))))
  const parts = read.flatMap((each) => each.parts)
  const whole = await Promise.all(read.flatMap(({ incomplete }) => incomplete).map((model) => completeModel(model, parts)))
  const all = [...read, ...whole]
  return {
    entries: all.flatMap(({ entries }) => entries),
    assets: all.flatMap(({ assets }) => assets),
    unusable: all.flatMap(({ unusable }) => unusable),
    faults: all.flatMap(({ faults }) => faults),
  }
}

async function completeModel(
  { descriptor, ...model }: Incomplete,
  parts: readonly (FoundPart & Pick<LooseFile, 'source'>)[],
): Promise<ReadLooseFiles> {
  const { path, source } = model
  const own = parts.filter((part) => part.source === source)
  const found = await findParts(model, own)
  if ('unusable' in found) return { ...nothing, unusable: [{ name: descriptor.id, file: path, reason: found.unusable }] }
  return { ...nothing, entries: [{ source, modelFile: path, descriptor: withParts(descriptor, found) }] }
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

async function partsIn(path: string, source: number, name: string): Promise<ReadFile['parts']> {
  const examined = await examineWeights(path, name).catch(() => null)
  return examined?.kind === 'part' ? [{ path, source, ...examined }] : []
}

async function readLooseFile({ path, source }: LooseFile, name: string): Promise<ReadFile> {
  const fault = (message: string): ReadFile => {
    const reason = message.replace(/\.$/u, '')
    return { ...nothing, faults: [{ file: path, field: '', message }], unusable: [{ name, file: path, reason }] }
  }
  const unusable = (reason: string): ReadFile => ({ ...nothing, unusable: [{ name, file: path, reason }] })
  if (!isUsableName(weightName(path))) return fault('cannot be named in requests; rename it without <>:"/\\|?* and control characters.')
  const foreign = await findForeignContent(path)
  if (foreign !== null) return fault(`${foreign}.`)
  if (isPickle(path)) return unusable('is a pickle, which can run code when it is read; convert it to safetensors')
  let foreignModel: string | null = null
  if (/\.gguf$/iu.test(path)) {
    const read = await readLooseGguf({ path, source, name })
    if (read === null) return nothing
    if ('fault' in read) return fault(`${read.fault}; copy it again or remove it.`)
    if ('unusable' in read) return unusable(read.unusable)
    if ('draws' in read) foreignModel = read.foreign
    // A language model may be the text encoder of an image model, too.
    if ('entry' in read) return { ...nothing, entries: [read.entry], parts: read.encodes ? await partsIn(path, source, name) : [] }
  }
  const examined = await examineWeights(path, name).catch(() => ({ kind: 'faulty', reason: 'cannot be read' }) as const)
  switch (examined.kind) {
    case 'faulty':
      return fault(`${examined.reason}; copy it again or remove it.`)
    case 'unusable':
      return unusable(foreignModel ?? examined.reason)
    case 'transformer':
      return { ...nothing, incomplete: [{ path, source, ...examined }] }
    case 'part':
      return { ...nothing, parts: [{ path, source, ...examined }] }
    case 'checkpoint':
    case 'upscaler':
      return { ...nothing, entries: [{ source, modelFile: path, descriptor: examined.descriptor }] }
    case 'asset':
      return { ...nothing, assets: [examined.descriptor] }
  }
}
