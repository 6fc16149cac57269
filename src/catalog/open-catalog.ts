import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ModelDescriptor } from '../core/model.ts'
import type { ModelCatalog } from '../core/ports/model-catalog.ts'
import { CatalogError, type CatalogFault } from './catalog-fault.ts'
import { checkFiles } from './check-files.ts'
import { checkModelFile } from './check-model-file.ts'
import { describeModel } from './describe-model.ts'
import { type FoundFolder, findModelFolders } from './find-model-folders.ts'

interface Entry {
  readonly source: number
  readonly modelFile: string
  readonly descriptor: ModelDescriptor
}

/**
 * Reads every model folder inside the given folders, the first of which holds the built-in models.
 *
 * @throws {CatalogError} with every fault of every folder at once.
 */
export async function openCatalog({ folders }: { readonly folders: readonly string[] }): Promise<ModelCatalog> {
  const { found, faults: unreadable } = await findModelFolders(folders)
  const results = await Promise.all(found.map(readFolder))
  const entries = results.flatMap((result) => ('entry' in result ? [result.entry] : []))
  const faults = [
    ...unreadable,
    ...results.flatMap((result) => ('faults' in result ? result.faults : [])),
    ...findClashes(entries),
    ...findMissingDrafts(entries),
    ...findForbiddenNatives(entries),
  ]
  if (faults.length > 0) throw new CatalogError(faults)
  return createCatalog(entries)
}

async function readFolder({ folder, source }: FoundFolder): Promise<{ entry: Entry } | { faults: readonly CatalogFault[] }> {
  const file = join(folder, 'model.json')
  const checked = checkModelFile(file, await readFile(file, 'utf8'))
  if ('faults' in checked) return checked
  const files = await checkFiles(checked.modelFile, folder)
  if ('faults' in files) return files
  return { entry: { source, modelFile: file, descriptor: describeModel(checked.modelFile, files.facts) } }
}

function findClashes(entries: readonly Entry[]): CatalogFault[] {
  const seen = new Map<string, string>()
  return entries.flatMap(({ modelFile, descriptor: { id } }) => {
    const first = seen.get(id)
    seen.set(id, first ?? modelFile)
    if (first === undefined) return []
    return [{ file: modelFile, field: 'id', message: `${id} is already the id of ${first}; choose another.` }]
  })
}

function findMissingDrafts(entries: readonly Entry[]): CatalogFault[] {
  const texts = entries.map(({ descriptor }) => descriptor).filter((descriptor) => descriptor.kind === 'text')
  return entries.flatMap(({ modelFile, descriptor }) => {
    if (descriptor.kind !== 'text' || descriptor.draft === null) return []
    if (texts.some(({ id }) => id === descriptor.draft && id !== descriptor.id)) return []
    return [
      { file: modelFile, field: 'draft', message: `${descriptor.draft} is no other text model here; install it or remove the field.` },
    ]
  })
}

function findForbiddenNatives(entries: readonly Entry[]): CatalogFault[] {
  return entries.flatMap(({ modelFile, descriptor }) => {
    if (descriptor.kind !== 'image') return []
    const { native, sizes } = descriptor
    const allowed =
      sizes.type === 'list'
        ? sizes.sizes.some(({ width, height }) => width === native.width && height === native.height)
        : Math.min(native.width, native.height) >= sizes.min && Math.max(native.width, native.height) <= sizes.max
    return allowed ? [] : [{ file: modelFile, field: 'sizes', message: `must include the native size ${native.width} × ${native.height}.` }]
  })
}

function createCatalog(entries: readonly Entry[]): ModelCatalog {
  const models = entries.map(({ descriptor }) => descriptor)
  const byId = new Map(models.map((model) => [model.id, model]))
  const builtInLast = [...entries.filter(({ source }) => source > 0), ...entries.filter(({ source }) => source === 0)]
  const defaultImage = builtInLast.map(({ descriptor }) => descriptor).find((descriptor) => descriptor.kind === 'image')
  return {
    list: () => models,
    find: (modelId) => byId.get(modelId),
    defaultImageModel: () => defaultImage,
  }
}
