/** How long nothing may be heard of an answer before it is given up, in milliseconds. */
export const patienceMs = 30_000
/** What a slow line carries at least, in bytes a millisecond; what goes up has that much longer. */
const slowestUpload = 10

/** Gives up on an answer of which nothing is heard for a while. */
export class Patience {
  readonly #ended = new AbortController()
  readonly #signal: AbortSignal | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  /**
   * @param signal The caller's own way to stop.
   * @param bytesToSend What goes up first; infinite where one waits for as long as it takes.
   */
  constructor(signal: AbortSignal | undefined, bytesToSend: number) {
    this.#signal = signal
    this.#wait(patienceMs + bytesToSend / slowestUpload)
  }

  /** Stops what is waited for. */
  get signal(): AbortSignal {
    return this.#signal === undefined ? this.#ended.signal : AbortSignal.any([this.#signal, this.#ended.signal])
  }

  /** Whether nothing came in time. */
  get isOver(): boolean {
    return this.#ended.signal.aborted
  }

  /** Something came: as much time again for the next. */
  onData(): void {
    this.#wait(patienceMs)
  }

  /** Nothing is waited for any more. */
  end(): void {
    clearTimeout(this.#timer)
  }

  #wait(milliseconds: number): void {
    clearTimeout(this.#timer)
    if (milliseconds < Number.POSITIVE_INFINITY) this.#timer = setTimeout(() => this.#ended.abort(), milliseconds)
  }
}
