import { existsSync } from 'node:fs'
import { readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { UnusableFile } from '../core/assets/asset.ts'
import { ServiceError } from '../core/error.ts'
import type { PlacedModel } from '../core/model.ts'
import { weightName } from './checkpoint/read-loose-files.ts'
import { type FoundModels, findModelFolders } from './find-model-folders.ts'
import { leavingPath, removeTree } from './pull/unfinished-pulls.ts'
import { nothingRead, type ReadEntries, readEntries } from './read-entries.ts'
import { markFolder } from './settled-folders.ts'
import { partNames } from './weight-file-source.ts'

/** The folder of pulled models, where whole folders appear and disappear; manual changes inside are read once they have settled. */
export class PulledFolder {
  readonly #folder: string
  readonly #source: number
  #names: string | null = null
  /** Marks of the last read and the last check. */
  #read: string | null = null
  #seen: string | null = null

  /** @param source Its index among all model folders. */
  constructor(folder: string, source: number) {
    this.#folder = folder
    this.#source = source
  }

  /** Reads the models if one was added, removed, or changed and settled since the last check; else null. */
  async readIfChanged(): Promise<ReadEntries | null> {
    // Computed before reading, so that later changes are found next time.
    const [names, mark] = await Promise.all([markNames(this.#folder), markFolder(this.#folder)])
    const isSettled = mark === this.#seen
    this.#seen = mark
    if (names === this.#names && (mark === this.#read || !isSettled)) return null
    const read =
      names === 'absent' ? nothingRead : await readEntries(this.#placed(await findModelFolders([this.#folder])), { confined: true })
    this.#names = names
    this.#read = mark
    return read
  }

  #placed({ found, loose, ...faults }: FoundModels): FoundModels {
    const source = this.#source
    return { found: found.map((folder) => ({ ...folder, source })), loose: loose.map((file) => ({ ...file, source })), ...faults }
  }
}

/** A fingerprint of the names in a folder. The modification time alone would miss two changes within its resolution. */
async function markNames(folder: string): Promise<string> {
  const stats = await stat(folder, { bigint: true }).catch(() => null)
  if (stats === null) return 'absent'
  const names = await readdir(folder).catch(() => [])
  return [stats.ino, stats.mtimeNs, ...names].join('\n')
}

/** The path that removing a model deletes: its folder if it has one, else its file, since other files may be beside it. */
export function removalTarget<Model extends PlacedModel>(model: Model): Model {
  const isDescribed = ['model.json', 'model_index.json'].some((name) => existsSync(join(model.folder, name)))
  return isDescribed || model.file === undefined ? model : { ...model, folder: model.file }
}

/**
 * Where a file lies that was left out, by its name.
 *
 * @throws {ServiceError} `validation_error` where several files have it: which one is wrong, only people know.
 */
export function findLeftOut(files: readonly UnusableFile[], name: string): PlacedModel | undefined {
  const found = files.filter((each) => each.name === name).map(({ file }) => file)
  const [file] = found
  if (found.length < 2) return file === undefined ? undefined : { folder: dirname(file), file }
  throw new ServiceError('validation_error', `${name} names several files: ${found.join(', ')}; delete the wrong one there.`, {
    param: 'model',
  })
}

/**
 * Deletes a model's folder, or its files where it has none of its own; for a running service it is there as a whole or not at all. Of links it
 * deletes the links, and what is gone already is no fault.
 */
export async function removeModel(model: PlacedModel): Promise<void> {
  const { folder } = removalTarget(model)
  if (model.file !== folder || !/\.gguf$/iu.test(folder)) return removeWhole(folder)
  const [first = basename(folder), ...others] = partNames(basename(folder))
  const projector = projectorName(first)
  await removeWhole(folder)
  for (const name of [...others, projector]) await rm(join(dirname(folder), name), { force: true })
}

async function removeWhole(path: string): Promise<void> {
  const leaving = leavingPath(path)
  try {
    await rename(path, leaving)
  } catch (error) {
    if (Object(error).code !== 'ENOENT') throw error
    return
  }
  await removeTree(leaving)
}

/** The projector file used only by this model file; other names may serve several models. */
function projectorName(file: string): string {
  return `mmproj-${weightName(file)}.gguf`
}
