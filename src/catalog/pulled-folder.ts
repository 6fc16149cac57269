import { readdir, stat } from 'node:fs/promises'
import { findModelFolders } from './find-model-folders.ts'
import { type ReadEntries, readEntries } from './read-entries.ts'

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
    const { found, faults } = mark === 'absent' ? { found: [], faults: [] } : await findModelFolders([this.#folder])
    const read = await readEntries(
      found.map(({ folder }) => ({ folder, source: this.#source })),
      { confined: true },
    )
    this.#mark = mark
    return { ...read, faults: [...faults, ...read.faults] }
  }
}

/** A text that changes when something appears in a folder or leaves it. The time alone would miss two changes within one of its ticks. */
async function markFolder(folder: string): Promise<string> {
  const stats = await stat(folder, { bigint: true }).catch(() => null)
  if (stats === null) return 'absent'
  const names = await readdir(folder).catch(() => [])
  return [stats.ino, stats.mtimeNs, ...names].join('\n')
}
