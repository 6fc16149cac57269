import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type AppFile, readAppFiles } from './app-files.ts'

/**
 * The built browser code. `npm start` builds it; where it is missing, the first visitor has it built in a process
 * of its own, so that the start of the service never waits for it.
 */
export class AppSource {
  readonly #folder: string
  #files: ReadonlyMap<string, AppFile> | null = null
  #building: Promise<void> | null = null

  constructor(folder: string) {
    this.#folder = folder
  }

  /** The files, or null while they are being built. */
  async files(): Promise<ReadonlyMap<string, AppFile> | null> {
    this.#files ??= await readAppFiles(this.#folder)
    if (this.#files === null) {
      this.#building ??= buildInChild().finally(() => {
        this.#building = null
      })
    }
    return this.#files
  }
}

async function buildInChild(): Promise<void> {
  await once(fork(join(import.meta.dirname, 'build.ts'), { stdio: 'ignore' }), 'exit')
}
