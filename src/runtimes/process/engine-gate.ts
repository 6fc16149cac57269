/** Lets a fixed number of callers in at once, first come, first served. */
export class EngineGate {
  #free: number
  readonly #queue: (() => void)[] = []

  constructor(places: number) {
    this.#free = places
  }

  /** Resolves when a place is free; disposing what it resolves to gives the place back. */
  async enter(signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted()
    if (this.#free > 0) this.#free -= 1
    else await this.#wait(signal)
    return { [Symbol.dispose]: () => this.#leave() }
  }

  #leave(): void {
    const next = this.#queue.shift()
    if (next === undefined) this.#free += 1
    else next()
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const leave = () => {
        this.#queue.splice(this.#queue.indexOf(enter), 1)
        reject(signal.reason)
      }
      signal.addEventListener('abort', leave, { once: true })
      this.#queue.push(enter)
    })
  }
}
