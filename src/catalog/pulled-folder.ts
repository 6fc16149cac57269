import { readdir, stat } from 'node:fs/promises'
import { type FoundModels, findModelFolders } from './find-model-folders.ts'
import { nothingRead, type ReadEntries, readEntries } from './read-entries.ts'

/** The folder into which models are pulled, where whole model folders appear and disappear. */
export class PulledFolder {
  readonly #folder: string
  readonly #source: number
  #mark: string | null = null

  /** @param source Its place among all folders of models. */
  constructor(folder: string, source: number) {
    this.#folder = folder
    this.#source = source
  }

  /** Reads its models, unless nothing came or went since the last reading: then null. */
  async readIfChanged(): Promise<ReadEntries | null> {
    // Taken before the reading, so that what changes meanwhile is read the next time.
    const mark = await markFolder(this.#folder)
    if (mark === this.#mark) return null
    const read =
      mark === 'absent' ? nothingRead : await readEntries(this.#placed(await findModelFolders([this.#folder])), { confined: true })
    this.#mark = mark
    return read
  }

  #placed({ found, loose, faults }: FoundModels): FoundModels {
    const source = this.#source
    return { found: found.map((folder) => ({ ...folder, source })), loose: loose.map((file) => ({ ...file, source })), faults }
  }
}

/** A text that changes when something appears in a folder or leaves it. The time alone would miss two changes within one of its ticks. */
async function markFolder(folder: string): Promise<string> {
  const stats = await stat(folder, { bigint: true }).catch(() => null)
  if (stats === null) return 'absent'
  const names = await readdir(folder).catch(() => [])
  return [stats.ino, stats.mtimeNs, ...names].join('\n')
}
