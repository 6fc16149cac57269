import { mkdir, rename, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { ModelDescriptor } from '../core/model.ts'
import type { PullPlan } from '../core/model-pull.ts'
import { Turns } from '../core/turns.ts'
import type { Abortable } from '../core/waiting.ts'
import { CatalogError } from './catalog-fault.ts'
import { checkFiles, runsElsewhere } from './check-files.ts'
import { checkModelFile } from './check-model-file.ts'
import { describeModel } from './describe-model.ts'
import { createFolderSource } from './folder-source.ts'
import { type HubAccess, isHubSource, parseHubReferences } from './hub/hub-access.ts'
import { createHubSource } from './hub/hub-source.ts'
import { type ListedFile, type ModelFile, unknownSum } from './model-file.ts'
import type { ModelSource } from './model-source.ts'
import { pullFile } from './pull/pull-file.ts'
import { notesOf } from './pull/pull-spans.ts'
import { removeLeftovers, removePullLock, takePullLock, unfinishedFolder } from './pull/unfinished-pulls.ts'
import type { FileProgress } from './verify-model.ts'
import { createWebSource } from './web/web-source.ts'
import { createWeightFileSource, isWeightSource } from './weight-file-source.ts'

export interface PullOptions {
  readonly signal: AbortSignal
  /** Called with the plan before the first file. */
  readonly onPlan?: ((plan: PullPlan) => void) | undefined
  readonly onProgress: (progress: FileProgress) => void
}

/** A model offered by a source. */
interface PullOffer {
  readonly origin: ModelSource
  /** Text of its `model.json`. */
  readonly text: string
  readonly modelFile: ModelFile
  readonly notes: readonly string[]
}

export interface PullDependencies {
  readonly modelsFolder: string
  readonly hub: HubAccess
  /** Free bytes at a folder; absent = those of its file system. */
  readonly freeBytes?: (folder: string) => Promise<number>
  /** All installed models, whose ids are taken. */
  readonly installed?: readonly Pick<ModelDescriptor, 'id' | 'folder'>[]
}

/**
 * Plans a pull; downloads only the description.
 *
 * @throws {CatalogError} if its `model.json` has faults; {Error} for other faults.
 */
export async function planPull(deps: PullDependencies, source: string, { signal }: Abortable): Promise<PullPlan> {
  return planOf(deps, await readOffer(deps, source, { signal }))
}

async function planOf({ modelsFolder, freeBytes = freeOnDisk }: PullDependencies, { modelFile, notes }: PullOffer): Promise<PullPlan> {
  const { id, license = null, files = {} } = modelFile
  await mkdir(modelsFolder, { recursive: true })
  return { id, license, files, bytes: sumBytes(files), freeBytes: await freeBytes(modelsFolder), notes }
}

/**
 * Copies a model from the hub, a URL or a folder into the model folder; an interrupted pull is resumed by the next. The model appears only
 * when all files have arrived and match their checksums.
 *
 * @throws {CatalogError} if its `model.json` has faults; {Error} for other faults.
 */
export async function pullModel(deps: PullDependencies, source: string, options: PullOptions): Promise<ModelDescriptor> {
  const offer = await readOffer(deps, source, options)
  try {
    options.onPlan?.(await planOf(deps, offer))
    using _turn = await pullTurns.take(join(deps.modelsFolder, folderName(offer.modelFile.id)), options)
    return await pullOffer(deps, offer, options)
  } catch (error) {
    throw nameFolderFault(deps.modelsFolder, error)
  }
}

/** The error for a folder of models that is full or cannot be written, with its name and the fix; other errors stay as they are. */
function nameFolderFault(modelsFolder: string, error: unknown): unknown {
  const { code, path = modelsFolder }: NodeJS.ErrnoException = Object(error)
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new Error(`${modelsFolder} is full; free space on its disk, and pull again to continue.`, { cause: error })
  if ((code === 'EACCES' || code === 'EPERM' || code === 'EROFS') && !relative(modelsFolder, path).startsWith('..'))
    return new Error(`${modelsFolder} is not writable for this user; change its permissions, and pull again.`, { cause: error })
  return error
}

/** One pull into each folder at a time: two would write into the same files, as a stopped one does until it ends. */
const pullTurns = new Turns(1)

async function pullOffer(
  { modelsFolder, hub, freeBytes = freeOnDisk }: PullDependencies,
  { origin, text, modelFile }: PullOffer,
  { signal, onProgress }: PullOptions,
): Promise<ModelDescriptor> {
  signal.throwIfAborted()
  const name = folderName(modelFile.id)
  const version = (await origin.version?.({ signal })) ?? ''
  const unfinished = unfinishedFolder(modelsFolder, name, `${text}${version}`)
  await requireFree(modelsFolder, modelFile)
  await mkdir(unfinished, { recursive: true })
  using lock = takePullLock(unfinished)
  if (lock === null)
    throw new Error(`${modelFile.id} is being pulled by another process, such as the service or a command; wait until it has ended.`)
  // The other process may have ended just before.
  await requireFree(modelsFolder, modelFile)
  const sums = await pullFiles({ origin, hub, freeBytes }, modelFile, { folder: unfinished, signal, onProgress })
  const fault = (await origin.examine?.(unfinished)) ?? null
  if (fault !== null) {
    await rm(unfinished, { recursive: true })
    throw new Error(fault)
  }
  const files = await checkFiles(modelFile, unfinished)
  if ('faults' in files) throw new CatalogError(files.faults)
  const weights = await describeModel(modelFile, { ...files.facts, folder: unfinished })
  if ('fault' in weights) throw new CatalogError([weights.fault])
  await writeFile(join(unfinished, 'model.json'), sums === null ? text : `${JSON.stringify({ ...modelFile, files: sums }, null, 2)}\n`, {
    flush: true,
  })
  const folder = join(modelsFolder, name)
  signal.throwIfAborted()
  // The same model from another source may have been faster in another process.
  await requireFree(modelsFolder, modelFile)
  await rename(unfinished, folder)
  await removePullLock(folder)
  // Those that stay only take space, and the next start of the service reports them.
  await removeLeftovers(modelsFolder, { onFault: () => {} })
  const described = await describeModel(modelFile, { ...files.facts, folder })
  if ('fault' in described) throw new CatalogError([described.fault])
  return described
}

/** Checks that a model can be pulled: its id is free, and it has weights. */
async function readOffer(
  { modelsFolder, hub, installed = [] }: PullDependencies,
  source: string,
  { signal }: Abortable,
): Promise<PullOffer> {
  const origin = openModelSource(source, hub)
  const text = await origin.readModelFile({ signal })
  const checked = checkModelFile(source, text, { confined: true })
  if ('faults' in checked) throw new CatalogError(checked.faults)
  const { modelFile } = checked
  const clash = installed.find(({ id }) => id === modelFile.id)
  if (clash !== undefined) throw new Error(`${modelFile.id} is already installed in ${clash.folder}; remove it first.`)
  await requireFree(modelsFolder, modelFile)
  if (runsElsewhere(modelFile.format))
    throw new Error(`${modelFile.id} is a model on another server; write its model.json into a folder of --models yourself.`)
  return { origin, text, modelFile, notes: (await origin.describe?.({ signal })) ?? [] }
}

async function requireFree(modelsFolder: string, { id }: ModelFile): Promise<void> {
  const folder = join(modelsFolder, folderName(id))
  if (await exists(folder)) throw new Error(`${id} is already in ${folder}; remove it first.`)
}

/** A folder name for an id that is valid on every platform. */
function folderName(id: string): string {
  return id.replaceAll(/[/:]/g, '--')
}

function sumBytes(files: Readonly<Record<string, ListedFile>>): number {
  return Object.values(files).reduce((sum, { bytes }) => sum + bytes, 0)
}

async function freeOnDisk(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/** Downloads all files; returns all checksums, including those the source did not report. */
async function pullFiles(
  {
    origin,
    hub,
    freeBytes,
  }: { readonly origin: ModelSource; readonly hub: Pick<HubAccess, 'wait' | 'spreading'>; readonly freeBytes: typeof freeOnDisk },
  { id, files = {} }: ModelFile,
  {
    folder,
    signal,
    onProgress,
  }: { readonly folder: string; readonly signal: AbortSignal; readonly onProgress: (progress: FileProgress) => void },
): Promise<Readonly<Record<string, ListedFile>> | null> {
  const listed = Object.entries(files)
  if (listed.length === 0)
    throw new Error(`The model.json of ${id} lists no files; ask its publisher to add sizes and checksums in "files".`)
  const bytesTotal = sumBytes(files)
  const needed = bytesTotal - (await bytesArrived(folder, listed))
  const free = await freeBytes(folder)
  if (free < needed) throw new Error(`${id} needs ${needed} more bytes, but ${dirname(folder)} has ${free} left; make room first.`)
  const arrived: Record<string, ListedFile> = {}
  let bytesBefore = 0
  for (const [path, entry] of listed) {
    const base = bytesBefore
    const onBytes = (done: number) => onProgress({ path, bytesDone: base + done, bytesTotal })
    const sha256 = await pullFile({ source: origin, ...hub }, { path, listed: entry, target: join(folder, path) }, { signal, onBytes })
    arrived[path] = { bytes: entry.bytes, sha256 }
    bytesBefore += entry.bytes
  }
  return listed.some(([, { sha256 }]) => sha256 === unknownSum) ? arrived : null
}

/** Bytes of the disk that earlier attempts at the files take. */
async function bytesArrived(folder: string, listed: readonly (readonly [path: string, file: ListedFile])[]): Promise<number> {
  const taken = listed.map(async ([path, { bytes }]) => {
    const whole = join(folder, path)
    const found = await stat(whole).catch(() => stat(`${whole}.part`).catch(() => null))
    // A file that is fetched in ranges has its full size from the beginning.
    const isSparse = await exists(notesOf(`${whole}.part`))
    return Math.min(bytes, (isSparse ? (found?.blocks ?? 0) * 512 : found?.size) ?? 0)
  })
  return (await Promise.all(taken)).reduce((sum, bytes) => sum + bytes, 0)
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null
}

/**
 * Opens a source: a hub name, or an http(s) URL or path of a folder, of the `model.json` in it, or of a weights file.
 *
 * @throws {Error} for a malformed hub name, or a remote source while offline.
 */
function openModelSource(source: string, hub: HubAccess): ModelSource {
  if (hub.offline === true && (isHubSource(source) || URL.canParse(source)))
    throw new Error(`${source} is not on this machine, and --offline allows only local paths; pull the path of its file or folder.`)
  if (isHubSource(source)) {
    const [first, ...parts] = parseHubReferences(source)
    return createHubSource(hub, first, parts)
  }
  if (isWeightSource(source)) return createWeightFileSource(source, hub)
  const place = source.replace(/\/?model\.json$/, '')
  return /^https?:\/\//.test(source) ? createWebSource(place, hub) : createFolderSource(place === '' ? '.' : place)
}
