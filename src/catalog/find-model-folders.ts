import { readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { CatalogFault } from './catalog-fault.ts'
import type { LooseFile } from './checkpoint/read-loose-files.ts'
import { isWeightFile } from './checkpoint/weight-file-name.ts'

/** A model's folder, absolute, and the place in the list of folders it was found in. */
export interface FoundFolder {
  readonly folder: string
  readonly source: number
  /** What says that it is a model's: our description of it, or diffusers' (`model_index.json`) alone. */
  readonly by: 'model.json' | 'model_index.json'
}

/** What lies in folders of models. */
export interface FoundModels {
  readonly found: readonly FoundFolder[]
  /** Files of weights that belong to no model's folder. */
  readonly loose: readonly LooseFile[]
  readonly faults: readonly CatalogFault[]
}

/**
 * Finds every model's folder: those inside the given folders, and a given folder that is itself a model's; and every file of
 * weights beside them or one folder further down.
 */
export async function findModelFolders(folders: readonly string[]): Promise<FoundModels> {
  const results = await Promise.all(folders.map((folder, source) => searchFolder(resolve(folder), source)))
  return {
    found: results.flatMap(({ found }) => found),
    loose: results.flatMap(({ loose }) => loose),
    faults: results.flatMap(({ faults }) => faults),
  }
}

async function searchFolder(folder: string, source: number): Promise<FoundModels> {
  const names = await visibleNames(folder)
  if (names === null) {
    const message = 'is not a readable folder; create it or correct the setting "models".'
    return { found: [], loose: [], faults: [{ file: folder, field: '', message }] }
  }
  const inside = await Promise.all([folder, ...names.map((name) => join(folder, name))].map((path) => searchInside(path, source)))
  return { found: inside.flatMap(({ found }) => found), loose: inside.flatMap(({ loose }) => loose), faults: [] }
}

async function searchInside(folder: string, source: number): Promise<Omit<FoundModels, 'faults'>> {
  for (const by of ['model.json', 'model_index.json'] as const)
    if (await isFile(join(folder, by))) return { found: [{ folder, source, by }], loose: [] }
  const files = ((await visibleNames(folder)) ?? []).filter(isWeightFile).map((name) => join(folder, name))
  const present = await Promise.all(files.map(isFile))
  return { found: [], loose: files.filter((_, index) => present[index]).map((path) => ({ path, source })) }
}

/** Names with a dot are unfinished pulls, and nobody's models. */
async function visibleNames(folder: string): Promise<readonly string[] | null> {
  const names = await readdir(folder).catch(() => null)
  return names === null ? null : names.filter((name) => !name.startsWith('.')).toSorted()
}

async function isFile(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => null)
  return stats?.isFile() ?? false
}
