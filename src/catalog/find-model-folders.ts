import { readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { CatalogFault } from './catalog-fault.ts'

/** A model's folder, absolute, and the place in the list of folders it was found in. */
export interface FoundFolder {
  readonly folder: string
  readonly source: number
}

/** Finds every folder with a `model.json`: those inside the given folders, and a given folder that is itself a model's. */
export async function findModelFolders(
  folders: readonly string[],
): Promise<{ readonly found: readonly FoundFolder[]; readonly faults: readonly CatalogFault[] }> {
  const results = await Promise.all(folders.map((folder, source) => searchFolder(resolve(folder), source)))
  return { found: results.flatMap(({ found }) => found), faults: results.flatMap(({ faults }) => faults) }
}

async function searchFolder(folder: string, source: number): Promise<{ found: readonly FoundFolder[]; faults: readonly CatalogFault[] }> {
  const names = await readdir(folder).catch(() => null)
  if (names === null) {
    const message = 'is not a readable folder; create it or correct the setting "models".'
    return { found: [], faults: [{ file: folder, field: '', message }] }
  }
  // Names with a dot are unfinished pulls, and nobody's models.
  const visible = names.filter((name) => !name.startsWith('.')).toSorted()
  const candidates = [folder, ...visible.map((name) => join(folder, name))]
  const hits = await Promise.all(candidates.map((candidate) => hasModelFile(candidate)))
  return { found: candidates.filter((_, index) => hits[index]).map((candidate) => ({ folder: candidate, source })), faults: [] }
}

async function hasModelFile(folder: string): Promise<boolean> {
  const stats = await stat(join(folder, 'model.json')).catch(() => null)
  return stats?.isFile() ?? false
}
