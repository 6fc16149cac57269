import { readdir, realpath, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { CatalogFault } from './catalog-fault.ts'
import { isWeightFile, type LooseFile } from './checkpoint/read-loose-files.ts'

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
  /** Given folders that cannot be read. */
  readonly unreadable: readonly CatalogFault[]
  /** What was left out of those that can. */
  readonly faults: readonly CatalogFault[]
}

/** Folders in each other: `models--owner--name/snapshots/<revision>/unet` in a folder of hub caches is the deepest that programs make, with two to spare. */
export const mostLevels = 8
/** Folders that are searched for one that is given. */
export const mostFolders = 5000

/**
 * Finds every model's folder and every file of weights outside of them, in the given folders and those inside, up to {@link mostLevels} deep. Links are
 * followed; what several lead to counts once.
 */
export async function findModelFolders(folders: readonly string[]): Promise<FoundModels> {
  const results = await Promise.all(folders.map((folder, source) => new Search(resolve(folder), source).run()))
  return {
    found: results.flatMap(({ found }) => found),
    loose: results.flatMap(({ loose }) => loose),
    unreadable: results.flatMap(({ unreadable }) => unreadable),
    faults: results.flatMap(({ faults }) => faults),
  }
}

/** What one given folder holds. */
class Search {
  readonly #root: string
  readonly #source: number
  readonly #found: FoundFolder[] = []
  readonly #loose: LooseFile[] = []
  readonly #faults: CatalogFault[] = []
  /** Where folders and files really lie. */
  readonly #seen = new Set<string>()
  #folders = 0
  #tooDeep = 0

  constructor(root: string, source: number) {
    this.#root = root
    this.#source = source
  }

  async run(): Promise<FoundModels> {
    const [found, loose, faults, file] = [this.#found, this.#loose, this.#faults, this.#root]
    if ((await visibleNames(this.#root)) === null) {
      const message = 'is not a readable folder; create it or correct the setting "models".'
      return { found, loose, faults, unreadable: [{ file, field: '', message }] }
    }
    await this.#search(this.#root, 0)
    if (this.#folders > mostFolders)
      faults.push({ file, field: '', message: `holds more than ${mostFolders} folders; those beyond are not searched for models.` })
    if (this.#tooDeep > 0)
      faults.push({
        file,
        field: '',
        message: `holds folders more than ${mostLevels} levels deep (${this.#tooDeep}), which are not searched for models.`,
      })
    return { found, loose, faults, unreadable: [] }
  }

  async #search(folder: string, level: number): Promise<void> {
    if (await this.#wasSeen(folder)) return
    this.#folders += 1
    if (this.#folders > mostFolders) return
    const names = (await visibleNames(folder)) ?? []
    for (const by of ['model.json', 'model_index.json'] as const)
      if (names.includes(by) && (await kindOf(join(folder, by))) === 'file') {
        this.#found.push({ folder, source: this.#source, by })
        return
      }
    for (const name of names) {
      const path = join(folder, name)
      const kind = await kindOf(path)
      // A link to a file that is gone counts, so that it is reported and can be removed.
      if ((kind === 'file' || kind === 'gone') && isWeightFile(name)) {
        if (!(await this.#wasSeen(path))) this.#loose.push({ path, root: this.#root, source: this.#source })
      } else if (kind === 'folder') {
        if (level < mostLevels) await this.#search(path, level + 1)
        else this.#tooDeep += 1
      }
    }
  }

  /** Whether a path leads to what was found already; notes it. */
  async #wasSeen(path: string): Promise<boolean> {
    const place = await realpath(path).catch(() => path)
    if (this.#seen.has(place)) return true
    this.#seen.add(place)
    return false
  }
}

/** Names with a dot are unfinished pulls, and nobody's models. */
async function visibleNames(folder: string): Promise<readonly string[] | null> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    // Without descriptors or memory nothing is known: models must not vanish for that.
    if (error.code === 'EMFILE' || error.code === 'ENFILE' || error.code === 'ENOMEM') throw error
    return null
  })
  return names === null ? null : names.filter((name) => !name.startsWith('.')).toSorted()
}

/** What a path leads to; null = pipes, devices and the like. */
async function kindOf(path: string): Promise<'file' | 'folder' | 'gone' | null> {
  const stats = await stat(path).catch(() => 'gone' as const)
  if (stats === 'gone') return 'gone'
  if (stats.isFile()) return 'file'
  return stats.isDirectory() ? 'folder' : null
}
