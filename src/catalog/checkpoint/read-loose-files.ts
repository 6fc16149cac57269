import { open, readdir } from 'node:fs/promises'
import { basename, dirname, relative, sep } from 'node:path'
import type { AssetDescriptor, UnusableFile } from '../../core/assets/asset.ts'
import { unnamedReason } from '../../core/checkpoint/model-parts.ts'
import type { ImageModelDescriptor } from '../../core/model.ts'
import { withRemedy } from '../../core/text/with-remedy.ts'
import { type CatalogEntry, type CatalogFault, fileFault } from '../catalog-fault.ts'
import { type FoundProjector, readLooseGguf } from '../gguf/read-loose-gguf.ts'
import { isNamedProjector } from '../hub/choose-gguf.ts'
import { type FoundPart, findParts, type IncompleteModel, withParts } from './assemble-models.ts'
import { examineWeights } from './examine-weights.ts'

/** A weights file without a `model.json`. */
export interface LooseFile {
  /** Absolute path. */
  readonly path: string
  /** The configured folder it was found in. */
  readonly root: string
  /** Index of that folder in the list of folders. */
  readonly source: number
}

/** Classified loose files. */
export interface ReadLooseFiles {
  readonly entries: readonly CatalogEntry[]
  readonly assets: readonly AssetDescriptor[]
  readonly unusable: readonly UnusableFile[]
  readonly faults: readonly CatalogFault[]
  /** Components of models by their own names, each with the reason why no request can name it. */
  readonly parts: readonly UnusableFile[]
  /** Projectors for models beside them. */
  readonly projectors: readonly FoundProjector[]
}

type Incomplete = IncompleteModel & Pick<LooseFile, 'source'> & { readonly descriptor: ImageModelDescriptor }

/** One classified file; models with missing components are assembled after all files were read. */
interface ReadFile extends Omit<ReadLooseFiles, 'parts'> {
  readonly incomplete: readonly Incomplete[]
  readonly parts: readonly (FoundPart & Pick<LooseFile, 'source'>)[]
}

const nothing: ReadFile = { entries: [], assets: [], unusable: [], faults: [], incomplete: [], parts: [], projectors: [] }

/** Classifies loose files by their headers: checkpoints are models, others are assets or components; faulty ones are unusable. */
export async function readLooseFiles(files: readonly LooseFile[], names: ReadonlyMap<string, string>): Promise<ReadLooseFiles> {
  const read = await Promise.all(files.map((file) => readLooseFile(file, names.get(file.path) ?? weightName(file.path))))
  const parts = read.flatMap((each) => each.parts)
  const faulty = files.filter((_, at) => read[at]?.faults.length)
  const whole = await Promise.all(read.flatMap(({ incomplete }) => incomplete).map((model) => completeModel(model, parts, faulty)))
  const all = [...read, ...whole]
  return {
    entries: all.flatMap(({ entries }) => entries),
    assets: all.flatMap(({ assets }) => assets),
    unusable: all.flatMap(({ unusable }) => unusable),
    faults: all.flatMap(({ faults }) => faults),
    parts: parts.map(({ part, path }) => ({ name: weightName(path), file: path, reason: unnamedReason(part) })),
    projectors: read.flatMap(({ projectors }) => projectors),
  }
}

async function completeModel(
  { descriptor, ...model }: Incomplete,
  parts: readonly (FoundPart & Pick<LooseFile, 'source'>)[],
  faulty: readonly LooseFile[],
): Promise<ReadFile> {
  const { path, source } = model
  const own = parts.filter((part) => part.source === source)
  const found = await findParts(model, own)
  if ('unusable' in found) {
    const [folder, above] = [dirname(path), dirname(dirname(path))]
    const nearby = faulty.filter((file) => file.source === source).map((file) => file.path)
    const beside = nearby.filter((file) => [folder, above].includes(dirname(file)) || dirname(dirname(file)) === above)
    const damaged = beside.map((file) => basename(file)).slice(0, maxNamed)
    const reason = damaged.length === 0 ? found.unusable : `${found.unusable}; damaged there: ${damaged.join(', ')}`
    return { ...nothing, faults: [fileFault(path, `${reason}.`)], unusable: [{ name: descriptor.id, file: path, reason }] }
  }
  const bytes = Object.values(found.sizes).reduce((sum, size) => sum + size, descriptor.bytes)
  return { ...nothing, entries: [{ source, modelFile: path, descriptor: { ...withParts(descriptor, found), bytes } }] }
}

/** Why a file cannot be read; null = it can. */
async function findUnreadable(path: string): Promise<string | null> {
  try {
    await using _file = await open(path, 'r')
    return null
  } catch (error) {
    return explainUnreadable(error)
  }
}

/** Why reading failed, as the end of a sentence about the file. @throws The error, if the file is not its cause. */
export function explainUnreadable(error: unknown): string {
  const { code }: NodeJS.ErrnoException = Object(error)
  // Without descriptors or memory nothing is known: models must not vanish for that.
  if (code === undefined || code === 'EMFILE' || code === 'ENFILE' || code === 'ENOMEM') throw error
  if (code === 'ENOENT') return 'is missing, or a link to a missing file; restore the file, or remove the link.'
  if (code === 'ELOOP') return 'is a link to itself; remove it.'
  if (code === 'EIO') return 'cannot be read (EIO), because its disk fails; copy it from elsewhere, or remove it.'
  return `cannot be read (${code}); let the service's user read it, or remove it.`
}

/** Detects files that are not weights; null = possibly weights. */
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

/** Missing parts that a reason names. */
const maxNamed = 3

const copyAgain = 'copy it again or remove it'

/** Why one part of a split safetensors file cannot be used by itself, as the end of a sentence about it; null = the file is not split. */
async function findSplitFault(path: string): Promise<string | null> {
  const [, stem = '', number = '', count = ''] = /^(.*-)(\d{5})-of-(\d{5})\.safetensors$/u.exec(basename(path)) ?? []
  if (Number(count) < 2) return null
  const beside = new Set(await readdir(dirname(path)).catch(() => []))
  const all = Array.from({ length: Number(count) }, (_, i) => `${stem}${String(i + 1).padStart(5, '0')}-of-${count}.safetensors`)
  const missing = all.filter((name) => !beside.has(name))
  const rest = missing.length > maxNamed ? ` and ${missing.length - maxNamed} more` : ''
  const list = missing.slice(0, maxNamed).join(', ') + rest
  const fault = missing.length === 0 ? '' : `, and ${missing.length === 1 ? 'this part is' : 'these parts are'} missing: ${list}`
  return `is part ${Number(number)} of ${Number(count)} of a split model${fault}; download the whole folder in diffusers' layout, or the model as one file`
}

async function partsIn(path: string, source: number, name: string): Promise<ReadFile['parts']> {
  const examined = await examineWeights(path, name).catch(() => null)
  return examined?.kind === 'part' ? [{ path, source, ...examined }] : []
}

async function readLooseFile({ path, source }: LooseFile, name: string): Promise<ReadFile> {
  const fault = (message: string): ReadFile => {
    const reason = message.replace(/\.$/u, '')
    // The model beside it reports why it cannot read pictures.
    const projectors = /\.gguf$/iu.test(path) && isNamedProjector(basename(path)) ? [{ path, bytes: 0, facts: { fault: reason } }] : []
    return { ...nothing, faults: [fileFault(path, message)], unusable: [{ name, file: path, reason }], projectors }
  }
  const unusable = (reason: string): ReadFile => ({ ...nothing, unusable: [{ name, file: path, reason }] })
  if (!isUsableName(weightName(path)))
    return fault(
      'cannot be named in requests; give it a name of at most 128 characters, without <>:"/\\|?*, control characters or spaces around it.',
    )
  const unreadable = await findUnreadable(path)
  if (unreadable !== null) return fault(unreadable)
  const foreign = await findForeignContent(path)
  if (foreign !== null) return fault(`${foreign}.`)
  if (isPickle(path)) return unusable('is a pickle, which can run code when it is read; convert it to safetensors')
  const split = await findSplitFault(path)
  if (split !== null) return unusable(split)
  let foreignModel: string | null = null
  if (/\.gguf$/iu.test(path)) {
    const read = await readLooseGguf({ path, source, name }).catch((error: unknown) => explainUnreadable(error))
    if (typeof read === 'string') return fault(read)
    if (read === null) return nothing
    if ('fault' in read) return fault(`${withRemedy(read.fault, copyAgain)}.`)
    if ('projector' in read) return { ...unusable(read.unusable), projectors: [read.projector] }
    if ('unusable' in read) return unusable(read.unusable)
    if ('asset' in read) return { ...nothing, assets: [read.asset] }
    if ('draws' in read) foreignModel = read.foreign
    // A language model may also be the text encoder of an image model.
    if ('entry' in read) return { ...nothing, entries: [read.entry], parts: read.encodes ? await partsIn(path, source, name) : [] }
  }
  const examined = await examineWeights(path, name).catch(() => ({ kind: 'faulty', reason: 'cannot be read' }) as const)
  switch (examined.kind) {
    case 'faulty':
      return fault(`${withRemedy(examined.reason, copyAgain)}.`)
    case 'unusable':
      return unusable(withRemedy(foreignModel ?? examined.reason, 'use another file, or remove it'))
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

/**
 * Names of loose files for requests, by path: their own names, or, if several files share one, prefixed with as many folders as needed.
 *
 * @param taken Names of models with a description.
 */
export function nameLooseFiles(files: readonly LooseFile[], taken: ReadonlySet<string>): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  // macOS writes accents as characters of their own, which clients do not.
  for (const [name, group] of Map.groupBy(files, ({ path }) => weightName(path).normalize('NFC'))) {
    const folders = new Set(group.map(({ path }) => dirname(path)))
    const isAlone = folders.size === 1 && !taken.has(name)
    for (const file of group) names.set(file.path, isAlone ? name : inFolder(file, name, group))
  }
  return names
}

/** A name prefixed with the folders that distinguish it; a file directly in a configured folder keeps its name. */
function inFolder(file: LooseFile, name: string, group: readonly LooseFile[]): string {
  const own = foldersOf(file)
  const others = group.filter(({ path }) => dirname(path) !== dirname(file.path)).map(foldersOf)
  for (let count = 1; count < own.length; count++) {
    const end = own.slice(-count).join('/')
    if (others.every((folders) => folders.slice(-count).join('/') !== end)) return `${end}/${name}`
  }
  return [...own, name].join('/')
}

/** Folders between the configured one and the file; a repository in a hub cache counts as one folder. */
function foldersOf({ path, root }: LooseFile): readonly string[] {
  const folders = relative(root, dirname(path))
    .normalize('NFC')
    .split(sep)
    .filter((each) => each !== '')
  const cached = folders.findIndex((each, at) => each.startsWith('models--') && folders[at + 1] === 'snapshots')
  if (cached < 0) return folders
  const repository = folders[cached]?.split('--').at(-1) ?? ''
  return [...folders.slice(0, cached), repository, ...folders.slice(cached + 3)]
}

const extensions = /\.(?:gguf|safetensors|ckpt|pth?|bin)$/iu

/** Whether a file is a weights file of any kind. */
export function isWeightFile(name: string): boolean {
  return extensions.test(name)
}

/** Whether a weights file is a pickle, by its name. */
export function isPickle(name: string): boolean {
  return isWeightFile(name) && !/\.(?:gguf|safetensors)$/iu.test(name)
}

/** The name of a weights file in requests: without extension and part number. */
export function weightName(path: string): string {
  return basename(path)
    .replace(extensions, '')
    .replace(/-\d{5}-of-\d{5}$/u, '')
}

/** Whether a name is allowed in requests, LoRA tags and URLs. */
function isUsableName(name: string): boolean {
  return name.length > 0 && name.length <= 128 && name === name.trim() && !/[<>:"/\\|?*\p{Cc}]/u.test(name)
}

/**
 * The id of a folder in diffusers' layout: its name, or that of the repository in a hub cache (`models--owner--name/snapshots/<revision>`).
 */
export function folderName(folder: string): string {
  const cached = /[/\\]models--[^/\\]*?--([^/\\]+)[/\\]snapshots[/\\][^/\\]+$/u.exec(folder)?.[1]
  return (cached ?? weightName(folder)).normalize('NFC')
}
