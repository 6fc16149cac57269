import { readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { CatalogError } from './catalog-fault.ts'
import { type FoundModels, findModelFolders, mostFolders, mostLevels } from './find-model-folders.ts'
import { type ReadEntries, readEntries } from './read-entries.ts'

/** Folders into which people copy models while the service runs: they are read when nothing in them has changed from one look to the next. */
export class SettledFolders {
  readonly #folders: readonly string[]
  #read: string | null = null
  #seen: string | null = null

  constructor(folders: readonly string[]) {
    this.#folders = folders.map((folder) => resolve(folder))
  }

  /** Reads their models whatever goes on in them, the first time. @throws {CatalogError} when one of the folders cannot be read. */
  async open(): Promise<ReadEntries> {
    return this.#readAll((found) => {
      if (found.unreadable.length > 0) throw new CatalogError(found.unreadable)
    })
  }

  /** Reads their models whatever goes on in them. */
  read(): Promise<ReadEntries> {
    return this.#readAll(() => {})
  }

  async #readAll(check: (found: FoundModels) => void): Promise<ReadEntries> {
    // Taken before the reading, so that what changes meanwhile is read the next time.
    const mark = await this.#mark()
    const found = await findModelFolders(this.#folders)
    check(found)
    const read = await readEntries(found, { confined: false })
    this.#read = mark
    this.#seen = mark
    return read
  }

  /** Reads their models when something came, went or changed, and is at rest since the last look; else null. A copy under way is not read. */
  async readIfSettled(): Promise<ReadEntries | null> {
    const mark = await this.#mark()
    const isSettled = mark === this.#seen
    this.#seen = mark
    return isSettled && mark !== this.#read ? this.read() : null
  }

  /** A text that changes with what lies in the folders and in those inside, as deep as files of models lie. */
  async #mark(): Promise<string> {
    const marks = await Promise.all(this.#folders.map((folder) => markFolder(folder)))
    return marks.join('\n')
  }
}

/** As deep as folders are searched; a model's folder holds others, such as the one of its denoiser. */
const levels = mostLevels + 2

/** A text that changes with what lies in a folder of models. What is hidden, as a pull under way is, does not count; what several links lead to counts once. */
export async function markFolder(folder: string, depth = levels, seen: Set<string> = new Set()): Promise<string> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => !name.startsWith('.')).toSorted()
  const marks: string[] = []
  for (const name of names) {
    const path = join(folder, name)
    const found = await stat(path, { bigint: true }).catch(() => null)
    const place = found === null ? '' : `${found.dev} ${found.ino}`
    const isNew = found?.isDirectory() === true && !seen.has(place) && seen.size < mostFolders
    if (isNew) seen.add(place)
    const inside = isNew && depth > 1 ? await markFolder(path, depth - 1, seen) : ''
    marks.push(found === null ? name : `${name} ${found.ino} ${found.size} ${found.mtimeNs} ${inside}`)
  }
  return `${folder}\n${marks.join('\n')}`
}
