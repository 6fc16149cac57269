import { readFileSync } from 'node:fs'
import { platform } from 'node:process'
import koffi from 'koffi'
import type { RunnableSession } from './session-turns.ts'

/** A private mapping in Linux's list: its addresses, permissions, offset, device, inode and path. */
const mapping = /^([0-9a-f]+)-([0-9a-f]+) r[-w]-p \S+ \S+ \S+ +(\/.*)$/gmu
/** Linux's `MADV_DONTNEED`. */
const dontNeed = 4

/**
 * The files of weights that a model maps. On Linux, pages that were read count as memory of the process until another process needs
 * it. Here they leave the process when another part of the model computes, and stay in the system's page cache.
 */
export class MappedFiles {
  readonly #paths = new Set<string>()
  #advise: ((address: bigint, length: bigint, advice: number) => number) | null = null
  #lastPart: string | null = null

  /** @param paths Absolute paths without symbolic links. Nothing may write into their mappings, because releasing a page discards changes. */
  add(paths: Iterable<string>): void {
    for (const path of paths) this.#paths.add(path)
  }

  /** A session of a part of the model. It releases all pages of the files before it runs after another part. */
  sessionOf(part: string, session: RunnableSession): RunnableSession {
    const { inputMetadata, outputMetadata } = session
    const run: RunnableSession['run'] = (feeds, wanted) => {
      if (this.#lastPart !== part) this.#release()
      this.#lastPart = part
      return session.run(feeds, wanted)
    }
    return { inputMetadata, outputMetadata, run, release: () => session.release() }
  }

  #release(): void {
    if (platform !== 'linux') return
    let maps: string
    try {
      maps = readFileSync('/proc/self/maps', 'utf8')
    } catch {
      // A sandbox may hide the list. Then drawing takes more memory; the pictures are the same.
      return
    }
    this.#advise ??= koffi.load(null).func('int madvise(uintptr_t address, size_t length, int advice)')
    for (const [, from = '', to = '', path = ''] of maps.matchAll(mapping)) {
      const start = BigInt(`0x${from}`)
      if (this.#paths.has(path)) this.#advise(start, BigInt(`0x${to}`) - start, dontNeed)
    }
  }
}
