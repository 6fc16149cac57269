import type { IncomingMessage } from 'node:http'

/** Pieces of refused bodies, each of up to 64 KB, are read no faster than one in so many milliseconds, of all of them together. */
const pieceMs = 1

/**
 * Reads and drops what is left of bodies that were refused. Many clients read nothing before they have sent all, so that it must be read;
 * but nobody is helped when that is fast, and everybody else is hurt.
 */
export class DiscardedBodies {
  /** Bodies with a piece waiting, in the order of their turns. */
  readonly #paused = new Set<IncomingMessage>()
  #timer: NodeJS.Timeout | null = null

  /** Takes over a body whose answer is decided. */
  add(body: IncomingMessage): void {
    if (body.complete || body.destroyed) return
    body.on('data', () => {
      body.pause()
      this.#paused.add(body)
      this.#timer ??= setInterval(() => this.#next(), pieceMs)
    })
    body.once('close', () => this.#paused.delete(body))
    body.resume()
  }

  #next(): void {
    const [body] = this.#paused
    if (body === undefined) {
      if (this.#timer !== null) clearInterval(this.#timer)
      this.#timer = null
      return
    }
    this.#paused.delete(body)
    body.resume()
  }
}
