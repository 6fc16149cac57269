import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ModelDescriptor } from '../core/model.ts'
import type { CatalogFault } from './catalog-fault.ts'
import { checkFiles } from './check-files.ts'
import { checkModelFile } from './check-model-file.ts'
import { describeModel } from './describe-model.ts'
import type { FoundFolder } from './find-model-folders.ts'
import { findImageFaults } from './read-image-bounds.ts'

/** A model that was found in a folder. */
export interface CatalogEntry {
  /** Place of that folder in the list of folders; 0 for the built-in models. */
  readonly source: number
  /** Absolute path. */
  readonly modelFile: string
  readonly descriptor: ModelDescriptor
}

/** A model with faults of its own that still says its id. */
export interface FaultyEntry {
  /** Absolute path. */
  readonly modelFile: string
  readonly id: string
}

/** What was found in folders; `faults` are those of single models. */
export interface ReadEntries {
  readonly entries: readonly CatalogEntry[]
  readonly faulty: readonly FaultyEntry[]
  readonly faults: readonly CatalogFault[]
}

/** Reads each folder's `model.json` and looks for its files; reads headers at most, no weights. `confined` as in {@link checkModelFile}. */
export async function readEntries(found: readonly FoundFolder[], { confined }: { readonly confined: boolean }): Promise<ReadEntries> {
  const results = await Promise.all(found.map((folder) => readFolder(folder, confined)))
  return {
    entries: results.flatMap((result) => ('entry' in result ? [result.entry] : [])),
    faulty: results.flatMap((result) =>
      'faults' in result && result.id !== undefined ? [{ modelFile: result.modelFile, id: result.id }] : [],
    ),
    faults: results.flatMap((result) => ('faults' in result ? result.faults : [])),
  }
}

type ReadFolder =
  | { readonly entry: CatalogEntry }
  | { readonly modelFile: string; readonly id: string | undefined; readonly faults: readonly CatalogFault[] }

async function readFolder({ folder, source }: FoundFolder, confined: boolean): Promise<ReadFolder> {
  const modelFile = join(folder, 'model.json')
  const text = await readFile(modelFile, 'utf8').catch(() => null)
  if (text === null)
    return { modelFile, id: undefined, faults: [{ file: modelFile, field: '', message: 'cannot be read; correct its permissions.' }] }
  const checked = checkModelFile(modelFile, text, { confined })
  const references = 'faults' in checked ? checked.sound : checked.modelFile
  const files = await checkFiles(references, folder)
  if ('faults' in checked || 'faults' in files)
    return {
      modelFile,
      id: references.id,
      faults: [checked, files].flatMap((result) => ('faults' in result ? result.faults : [])),
    }
  const faults = checked.modelFile.kind === 'image' ? await findImageFaults(folder) : []
  if (faults.length > 0) return { modelFile, id: references.id, faults }
  return { entry: { source, modelFile, descriptor: await describeModel(checked.modelFile, files.facts) } }
}
