import { readFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import type { AssetDescriptor, UnusableFile } from '../core/assets/asset.ts'
import type { CatalogEntry, CatalogFault } from './catalog-fault.ts'
import { checkFiles } from './check-files.ts'
import { checkModelFile } from './check-model-file.ts'
import { describeDiffusersFolder } from './checkpoint/describe-diffusers-folder.ts'
import { pairRefiners } from './checkpoint/pair-refiners.ts'
import { explainUnreadable, folderName, nameLooseFiles, readLooseFiles } from './checkpoint/read-loose-files.ts'
import { findImageFaults } from './describe/describe-image-server.ts'
import { describeModel } from './describe-model.ts'
import type { FoundFolder, FoundModels } from './find-model-folders.ts'
import { pairProjectors } from './gguf/pair-projectors.ts'

/** A faulty model with a known id. */
export interface FaultyEntry {
  /** Absolute path. */
  readonly modelFile: string
  readonly id: string
}

/** Content of model folders; `faults` are those of single models. */
export interface ReadEntries {
  readonly entries: readonly CatalogEntry[]
  readonly assets: readonly AssetDescriptor[]
  readonly unusable: readonly UnusableFile[]
  /** Components of models, which no request names; their reasons are those of {@link unusable}. */
  readonly parts: readonly UnusableFile[]
  readonly faulty: readonly FaultyEntry[]
  readonly faults: readonly CatalogFault[]
  /** Fields without effect in valid models. */
  readonly idle: readonly CatalogFault[]
}

export const nothingRead: ReadEntries = { entries: [], assets: [], unusable: [], parts: [], faulty: [], faults: [], idle: [] }

/** Reads each `model.json`, checks its files, and classifies loose files; reads headers only. `confined` as in {@link checkModelFile}. */
export async function readEntries(
  { found, loose, faults, unreadable }: FoundModels,
  { confined }: { readonly confined: boolean },
): Promise<ReadEntries> {
  const results = await Promise.all(found.map((folder) => readFolder(folder, confined)))
  const described = results.flatMap((result) => ('entry' in result ? [result.entry.descriptor.id] : (result.id ?? [])))
  const files = await readLooseFiles(loose, nameLooseFiles(loose, new Set(described)))
  return {
    entries: await pairRefiners([
      ...results.flatMap((result) => ('entry' in result ? [result.entry] : [])),
      ...pairProjectors(files.entries, files.projectors),
    ]),
    assets: files.assets,
    unusable: [...files.unusable, ...results.flatMap(toUnusable)],
    parts: files.parts,
    faulty: results.flatMap((result) =>
      'faults' in result && result.id !== undefined ? [{ modelFile: result.modelFile, id: result.id }] : [],
    ),
    faults: [...unreadable, ...faults, ...results.flatMap((result) => ('faults' in result ? result.faults : [])), ...files.faults],
    idle: results.flatMap((result) => ('entry' in result ? result.idle : [])),
  }
}

/** Requests may name a faulty model by its id. */
function toUnusable(result: ReadFolder): readonly UnusableFile[] {
  if ('entry' in result) return []
  const [{ file, field, message } = { file: result.modelFile, field: '', message: 'has faults' }] = result.faults
  const where = file === result.modelFile ? '' : `is left out: its ${relative(dirname(result.modelFile), file)} `
  const reason = field === '' ? `${where}${message}` : `is left out: in its model.json, ${field} ${message}`
  const name = result.id ?? basename(dirname(result.modelFile))
  return [{ name, file: result.modelFile, reason: reason.replace(/\.$/u, '') }]
}

type ReadFolder =
  | { readonly entry: CatalogEntry; readonly idle: readonly CatalogFault[] }
  | { readonly modelFile: string; readonly id: string | undefined; readonly faults: readonly CatalogFault[] }

async function readFolder(found: FoundFolder, confined: boolean): Promise<ReadFolder> {
  if (found.by === 'model_index.json') return readDiffusersFolder(found)
  const { folder, source } = found
  const modelFile = join(folder, 'model.json')
  const text = await readFile(modelFile, 'utf8').catch(() => null)
  if (text === null)
    return { modelFile, id: undefined, faults: [{ file: modelFile, field: '', message: 'cannot be read; correct its permissions.' }] }
  // Editors on Windows put a mark before the text.
  const checked = checkModelFile(modelFile, text.replace(/^\uFEFF/u, ''), { confined })
  const references = 'faults' in checked ? checked.sound : checked.modelFile
  const files = await checkFiles(references, folder)
  if ('faults' in checked || 'faults' in files)
    return {
      modelFile,
      id: references.id,
      faults: [checked, files].flatMap((result) => ('faults' in result ? result.faults : [])),
    }
  const wrong = checked.modelFile.format === 'onnx-sdxl' ? await findImageFaults(folder) : []
  if (wrong.length > 0) return { modelFile, id: references.id, faults: wrong }
  const described = await describeModel(checked.modelFile, files.facts).catch((error: unknown) => ({
    fault: { file: modelFile, field: '', message: `names a file that ${explainUnreadable(error)}` },
  }))
  return 'fault' in described
    ? { modelFile, id: references.id, faults: [described.fault] }
    : { entry: { source, modelFile, descriptor: described }, idle: checked.idle }
}

/** A diffusers folder without a `model.json`; its name is the model's id. */
async function readDiffusersFolder({ folder, source }: FoundFolder): Promise<ReadFolder> {
  const modelFile = join(folder, 'model_index.json')
  const described = await describeDiffusersFolder(folder, folderName(folder))
  if ('fault' in described) return { modelFile, id: folderName(folder), faults: [described.fault] }
  const named = { id: folderName(folder), name: folderName(folder), license: null }
  return { entry: { source, modelFile, descriptor: { ...described, ...named } }, idle: [] }
}
