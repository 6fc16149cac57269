import { readdir, realpath, stat } from 'node:fs/promises'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { type CatalogFault, fileFault } from './catalog-fault.ts'
import { isWeightFile, type LooseFile } from './checkpoint/read-loose-files.ts'

/** Absolute path of a model's folder, and the index of the folder it was found in. */
export interface FoundFolder {
  readonly folder: string
  readonly source: number
  /** The file that marks it as a model: Sepia's description, or only that of diffusers (`model_index.json`). */
  readonly by: 'model.json' | 'model_index.json'
}

/** Models found in the model folders. */
export interface FoundModels {
  readonly found: readonly FoundFolder[]
  /** Weight files outside of models' folders. */
  readonly loose: readonly LooseFile[]
  /** Configured folders that cannot be read. */
  readonly unreadable: readonly CatalogFault[]
  /** Faults in readable folders. */
  readonly faults: readonly CatalogFault[]
}

/** Maximum depth: `models--owner--name/snapshots/<revision>/unet` in a folder of hub caches, the deepest common layout, plus two. */
export const maxLevels = 8
/** Maximum numbers of folders and of names in them that are looked at per configured folder. */
export const searchBounds: SearchBounds = { folders: 5000, names: 50_000 }

interface SearchBounds {
  readonly folders: number
  readonly names: number
}

/**
 * Finds all models' folders and the weight files outside of them, up to {@link maxLevels} deep. Links are followed, except to folders above,
 * and each target counts once, also in several configured folders.
 *
 * @param apart The service's own folders, which are searched only if they are among `folders` themselves.
 */
export async function findModelFolders(
  folders: readonly string[],
  bounds = searchBounds,
  apart: readonly string[] = [],
): Promise<FoundModels> {
  // In turn, so that the first of two configured folders that overlap has what both hold.
  const [places, roots] = [await placesOf(apart), await placesOf(folders)]
  const seen = new Set(places.filter((place) => !roots.includes(place)))
  const results: FoundModels[] = []
  for (const [source, folder] of folders.entries()) results.push(await new Search(resolve(folder), source, { bounds, seen }).run())
  return {
    found: results.flatMap(({ found }) => found),
    loose: results.flatMap(({ loose }) => loose),
    unreadable: results.flatMap(({ unreadable }) => unreadable),
    faults: results.flatMap(({ faults }) => faults),
  }
}

/** Paths without links. */
function placesOf(folders: readonly string[]): Promise<readonly string[]> {
  return Promise.all(folders.map((folder) => realpath(folder).catch(() => folder)))
}

/** Searches one configured folder. */
class Search {
  readonly #root: string
  readonly #source: number
  readonly #found: FoundFolder[] = []
  readonly #loose: LooseFile[] = []
  readonly #faults: CatalogFault[] = []
  /** Resolved paths of folders and files visited by this search and earlier ones. */
  readonly #seen: Set<string>
  readonly #bounds: SearchBounds
  #folders = 0
  #names = 0
  #tooDeep = 0
  /** Resolved path of the configured folder. */
  #place = ''

  constructor(root: string, source: number, { bounds, seen }: { readonly bounds: SearchBounds; readonly seen: Set<string> }) {
    this.#root = root
    this.#source = source
    this.#bounds = bounds
    this.#seen = seen
  }

  async run(): Promise<FoundModels> {
    const [found, loose, faults, file] = [this.#found, this.#loose, this.#faults, this.#root]
    if ((await visibleNames(this.#root)) === null) {
      const message = 'is not a readable folder; create it or correct the setting "models".'
      return { found, loose, faults, unreadable: [fileFault(file, message)] }
    }
    this.#place = await realpath(this.#root)
    await this.#search(this.#root, 0)
    if (this.#isFull()) {
      const { folders, names } = this.#bounds
      const message = `holds more than ${folders} folders or ${names} files; those beyond are not searched for models.`
      faults.push(fileFault(file, message))
    }
    if (this.#tooDeep > 0)
      faults.push(
        fileFault(file, `holds folders more than ${maxLevels} levels deep (${this.#tooDeep}), which are not searched for models.`),
      )
    return { found, loose, faults, unreadable: [] }
  }

  async #search(folder: string, level: number): Promise<void> {
    if (await this.#wasSeen(folder)) return
    this.#folders += 1
    if (this.#isFull()) return
    const names = (await visibleNames(folder)) ?? []
    for (const by of ['model.json', 'model_index.json'] as const)
      if (names.includes(by) && (await kindOf(join(folder, by))) === 'file') {
        this.#found.push({ folder, source: this.#source, by })
        return
      }
    for (const name of names) {
      this.#names += 1
      if (this.#isFull()) return
      const path = join(folder, name)
      const kind = await kindOf(path)
      // A link to a file that is gone counts, so that it is reported and can be removed.
      if ((kind === 'file' || kind === 'gone') && isWeightFile(name)) {
        if (!(await this.#wasSeen(path))) this.#loose.push({ path, root: this.#root, source: this.#source })
      } else if (kind === 'folder') {
        if (await this.#holdsRoot(path))
          this.#faults.push(fileFault(path, 'is a link to a folder above it, which is not followed; remove it.'))
        else if (level < maxLevels) await this.#search(path, level + 1)
        else this.#tooDeep += 1
      }
    }
  }

  #isFull(): boolean {
    return this.#folders > this.#bounds.folders || this.#names > this.#bounds.names
  }

  /** Whether a path leads to a folder above the configured one, such as `/`, where all else lies. */
  async #holdsRoot(path: string): Promise<boolean> {
    const place = await realpath(path).catch(() => path)
    const inside = relative(place, this.#place)
    return inside !== '' && inside.split(sep)[0] !== '..' && !isAbsolute(inside)
  }

  /** Whether a path resolves to something already found; records it. */
  async #wasSeen(path: string): Promise<boolean> {
    const place = await realpath(path).catch(() => path)
    if (this.#seen.has(place)) return true
    this.#seen.add(place)
    return false
  }
}

/** Names with a leading dot are unfinished pulls or unrelated files. */
async function visibleNames(folder: string): Promise<readonly string[] | null> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    // Without file descriptors or memory the content is unknown, which must not remove models.
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
