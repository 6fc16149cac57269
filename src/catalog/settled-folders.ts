import { readdir, realpath, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { CatalogError } from './catalog-fault.ts'
import { type FoundModels, findModelFolders, maxLevels, searchBounds } from './find-model-folders.ts'
import { type ReadEntries, readEntries } from './read-entries.ts'

/** Folders into which users copy models at run time: they are read when nothing has changed between two checks. */
export class SettledFolders {
  readonly #folders: readonly string[]
  readonly #apart: readonly string[]
  #read: string | null = null
  #seen: string | null = null

  /** @param apart As in {@link findModelFolders}. */
  constructor(folders: readonly string[], apart: readonly string[]) {
    this.#folders = folders.map((folder) => resolve(folder))
    this.#apart = apart
  }

  /** Reads the models for the first time, settled or not. @throws {CatalogError} if a folder cannot be read. */
  async open(): Promise<ReadEntries> {
    return this.#readAll((found) => {
      if (found.unreadable.length > 0) throw new CatalogError(found.unreadable)
    })
  }

  /** Reads the models, settled or not. */
  read(): Promise<ReadEntries> {
    return this.#readAll(() => {})
  }

  async #readAll(check: (found: FoundModels) => void): Promise<ReadEntries> {
    // Computed before reading, so that later changes are found next time.
    const mark = await this.#mark()
    const found = await findModelFolders(this.#folders, searchBounds, this.#apart)
    check(found)
    const read = await readEntries(found, { confined: false })
    this.#read = mark
    this.#seen = mark
    return read
  }

  /** Whether the last check found what was read. */
  get isSettled(): boolean {
    return this.#seen === this.#read
  }

  /** Reads the models if something has changed and settled since the last check; else null. Copies in progress are not read. */
  async readIfSettled(): Promise<ReadEntries | null> {
    const mark = await this.#mark()
    const isSettled = mark === this.#seen
    this.#seen = mark
    return isSettled && mark !== this.#read ? this.read() : null
  }

  /** A fingerprint of the folders and their subfolders, as deep as models' files can be. */
  async #mark(): Promise<string> {
    const marks = await Promise.all(this.#folders.map((folder) => markFolder(folder)))
    return marks.join('\n')
  }
}

/** As deep as folders are searched, plus subfolders of models such as those of components. */
const levels = maxLevels + 2

/**
 * A fingerprint of a folder's content, within the bounds of a search and without hidden files such as pulls in progress; each link target
 * counts once.
 */
export async function markFolder(folder: string): Promise<string> {
  const seen = new Set<string>()
  // The folders above are not searched either, so that a link to one brings in nothing.
  for (let path = await realpath(folder).catch(() => folder); path !== dirname(path); ) {
    path = dirname(path)
    const place = await stat(path, { bigint: true }).catch(() => null)
    if (place !== null) seen.add(`${place.dev} ${place.ino}`)
  }
  return markInside(folder, levels, { seen, names: 0 })
}

async function markInside(folder: string, depth: number, found: { readonly seen: Set<string>; names: number }): Promise<string> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => !name.startsWith('.')).toSorted()
  const marks: string[] = []
  for (const name of names) {
    found.names += 1
    if (found.names > searchBounds.names) break
    // `join` would make a quarter of an idle service's garbage here.
    const path = `${folder}/${name}`
    const stats = await stat(path, { bigint: true }).catch(() => null)
    const place = stats === null ? '' : `${stats.dev} ${stats.ino}`
    const isNew = stats?.isDirectory() === true && !found.seen.has(place) && found.seen.size < searchBounds.folders
    if (isNew) found.seen.add(place)
    const inside = isNew && depth > 1 ? await markInside(path, depth - 1, found) : ''
    // What changes in a folder that is not searched does not count.
    const state = stats?.isDirectory() === false || isNew ? `${stats?.size} ${stats?.mtimeNs}` : ''
    marks.push(stats === null ? name : `${name} ${stats.ino} ${state} ${inside}`)
  }
  return `${folder}\n${marks.join('\n')}`
}
