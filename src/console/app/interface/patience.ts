/** How long a silent answer is awaited, in milliseconds. */
export const patienceMs = 30_000
/** The slowest supported upload, in bytes per millisecond; sending a body extends the wait accordingly. */
const slowestUpload = 10

/** Aborts an answer after a silence. */
export class Patience {
  readonly #ended = new AbortController()
  readonly #signal: AbortSignal | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  /**
   * @param signal The caller's own signal.
   * @param bytesToSend Size of the request's body; infinite = no limit of the wait.
   */
  constructor(signal: AbortSignal | undefined, bytesToSend: number) {
    this.#signal = signal
    this.#wait(patienceMs + bytesToSend / slowestUpload)
  }

  /** Aborts the request. */
  get signal(): AbortSignal {
    return this.#signal === undefined ? this.#ended.signal : AbortSignal.any([this.#signal, this.#ended.signal])
  }

  /** Whether the silence was too long. */
  get isOver(): boolean {
    return this.#ended.signal.aborted
  }

  /** Restarts the wait when data arrives. */
  onData(): void {
    this.#wait(patienceMs)
  }

  /** Ends the wait. */
  end(): void {
    clearTimeout(this.#timer)
  }

  #wait(milliseconds: number): void {
    clearTimeout(this.#timer)
    if (milliseconds < Number.POSITIVE_INFINITY) this.#timer = setTimeout(() => this.#ended.abort(), milliseconds)
  }
}
