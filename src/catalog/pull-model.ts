import { createHash } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ModelDescriptor } from '../core/model.ts'
import { CatalogError } from './catalog-fault.ts'
import { checkFiles, runsElsewhere } from './check-files.ts'
import { checkModelFile } from './check-model-file.ts'
import { describeModel } from './describe-model.ts'
import type { FetchRules } from './fetch-public.ts'
import type { ModelFile } from './model-file.ts'
import type { ModelSource } from './model-source.ts'
import { openModelSource } from './open-model-source.ts'
import { pullFile } from './pull-file.ts'
import type { FileProgress } from './verify-model.ts'

/**
 * Copies a model into a folder of models, from a web address or another folder; a broken try is resumed by the next.
 * The model appears there only when every file has arrived and matches its checksum.
 *
 * @param deps.installed Models of every folder, whose ids are taken.
 * @param deps.trustedHosts Hosts that may be reached by plain http and in private networks.
 *
 * @throws {CatalogError} when its `model.json` has faults; {Error} naming what else is wrong.
 */
export async function pullModel(
  {
    modelsFolder,
    installed = [],
    trustedHosts = [],
  }: Partial<FetchRules> & {
    readonly modelsFolder: string
    readonly installed?: readonly Pick<ModelDescriptor, 'id' | 'folder'>[]
  },
  source: string,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (progress: FileProgress) => void },
): Promise<ModelDescriptor> {
  const origin = openModelSource(source, { trustedHosts })
  const text = await origin.readModelFile({ signal })
  const checked = checkModelFile(source, text, { confined: true })
  if ('faults' in checked) throw new CatalogError(checked.faults)
  const { modelFile } = checked
  const clash = installed.find(({ id }) => id === modelFile.id)
  if (clash !== undefined) throw new Error(`${modelFile.id} is installed already, in ${clash.folder}; remove it first.`)
  const name = modelFile.id.replaceAll('/', '--')
  const folder = join(modelsFolder, name)
  if (await exists(folder)) throw new Error(`${modelFile.id} is already in ${folder}; remove it first.`)

  if (runsElsewhere(modelFile.format))
    throw new Error(`${modelFile.id} names another server instead of weights; write its model.json into a folder of --models yourself.`)
  // What an earlier try left belongs to exactly this model.json, or not to this model.
  const unfinished = join(modelsFolder, `.pulling-${name}-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`)
  await mkdir(unfinished, { recursive: true })
  await pullFiles(origin, modelFile, { folder: unfinished, signal, onProgress })
  const files = await checkFiles(modelFile, unfinished)
  if ('faults' in files) throw new CatalogError(files.faults)
  const weights = await describeModel(modelFile, { ...files.facts, folder: unfinished })
  if ('fault' in weights) throw new CatalogError([weights.fault])
  await writeFile(join(unfinished, 'model.json'), text, { flush: true })
  await rename(unfinished, folder)
  await removeOtherTries(modelsFolder, name)
  const described = await describeModel(modelFile, { ...files.facts, folder })
  if ('fault' in described) throw new CatalogError([described.fault])
  return described
}

async function pullFiles(
  origin: ModelSource,
  { id, files = {} }: ModelFile,
  {
    folder,
    signal,
    onProgress,
  }: { readonly folder: string; readonly signal: AbortSignal; readonly onProgress: (progress: FileProgress) => void },
): Promise<void> {
  const listed = Object.entries(files)
  if (listed.length === 0) throw new Error(`The model.json of ${id} lists no files; ask who offers it for sizes and checksums in "files".`)
  const bytesTotal = listed.reduce((sum, [, { bytes }]) => sum + bytes, 0)
  const { bavail, bsize } = await statfs(folder)
  if (bavail * bsize < bytesTotal)
    throw new Error(`${id} needs ${bytesTotal} bytes, but ${folder} has ${bavail * bsize} left; make room first.`)
  let bytesBefore = 0
  for (const [path, entry] of listed) {
    const base = bytesBefore
    const onBytes = (done: number) => onProgress({ path, bytesDone: base + done, bytesTotal })
    await pullFile(origin, { path, listed: entry, target: join(folder, path) }, { signal, onBytes })
    bytesBefore += entry.bytes
  }
}

/** Earlier tries at the model, from other sources or with another `model.json`. */
async function removeOtherTries(modelsFolder: string, name: string): Promise<void> {
  const start = `.pulling-${name}`
  const others = (await readdir(modelsFolder)).filter(
    (entry) => entry.startsWith(start) && /^(-[0-9a-f]{16})?$/.test(entry.slice(start.length)),
  )
  for (const entry of others) await rm(join(modelsFolder, entry), { recursive: true, force: true })
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null
}
