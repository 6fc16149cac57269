import { type Abortable, orAborted } from './waiting.ts'

interface Line {
  busy: number
  /** Grants the turns of waiting callers, first come first. */
  readonly waiting: Set<() => void>
}

/** Limits how many callers with the same key work at once; the others wait in the order of their calls. Keys do not affect each other. */
export class Turns {
  readonly #atOnce: number
  readonly #lines = new Map<string, Line>()

  constructor(atOnce: number) {
    this.#atOnce = atOnce
  }

  /** Waits for a turn, which ends when it is disposed. */
  async take(key: string, { signal }: Abortable): Promise<Disposable> {
    signal.throwIfAborted()
    const line = this.#lines.get(key) ?? { busy: 0, waiting: new Set() }
    this.#lines.set(key, line)
    const end = () => this.#end(key, line)
    if (line.busy < this.#atOnce) line.busy += 1
    else {
      const { promise: granted, resolve: grant } = Promise.withResolvers<void>()
      line.waiting.add(grant)
      try {
        await orAborted(granted, signal)
      } catch (error) {
        // The turn may have been granted just before the signal aborted.
        if (!line.waiting.delete(grant)) end()
        throw error
      }
    }
    return { [Symbol.dispose]: end }
  }

  #end(key: string, line: Line): void {
    const [next] = line.waiting
    if (next !== undefined) {
      line.waiting.delete(next)
      next()
      return
    }
    line.busy -= 1
    if (line.busy === 0) this.#lines.delete(key)
  }
}
