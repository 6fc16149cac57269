import { orAborted } from '../../../core/waiting.ts'

/** Lets pictures at one server be drawn one after the other, in the order in which they were asked for. */
export class DrawingTurns {
  /** The end of the last turn at each server. */
  readonly #last = new Map<string, Promise<void>>()

  /** Waits for a turn, which lasts until it is disposed. */
  async take(server: string, { signal }: { readonly signal: AbortSignal }): Promise<Disposable> {
    const before = this.#last.get(server)
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    const last = Promise.all([before, ended]).then(() => {
      if (this.#last.get(server) === last) this.#last.delete(server)
    })
    this.#last.set(server, last)
    try {
      if (before !== undefined) await orAborted(before, signal)
    } catch (error) {
      end()
      throw error
    }
    return { [Symbol.dispose]: end }
  }
}
