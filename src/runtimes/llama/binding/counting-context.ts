import type { NativeContext } from './native-binding.ts'

/** A context without a model, for tests: the token after position p is p + 1, and every batch is written down as `sequence:tokens`. */
export class CountingContext implements NativeContext {
  readonly batches: string[] = []
  /** Threads of every batch. */
  readonly threads: number[] = []
  failures = 0
  #threads = 0
  #batch: string[] = []
  #next: number[] = []

  init = async () => true
  dispose = async () => {}
  initBatch(): void {
    this.#batch = []
    this.#next = []
  }
  addToBatch(id: number, first: number, tokens: Uint32Array, wanted: Uint32Array): Uint32Array {
    this.#batch.push(`${id}:${tokens.length}`)
    return wanted.map((index) => this.#next.push(first + index + 1) - 1)
  }
  async decodeBatch(): Promise<void> {
    this.batches.push(this.#batch.join(' '))
    this.threads.push(this.#threads)
    if (this.failures-- > 0) throw new Error('Eval has failed')
  }
  setThreads(threads: number): void {
    this.#threads = threads
  }
  sampleToken(index: number): Promise<never> {
    return Promise.resolve(this.#next[index] as never)
  }
  disposeSequence(): void {}
  /** What it was told to forget, as `sequence:start`. */
  readonly removals: string[] = []
  forgets = true
  removeTokenCellsFromSequence(id: number, start: number): boolean {
    this.removals.push(`${id}:${start}`)
    return this.forgets
  }
  onCopy: () => void = () => {}
  async copySequenceStateFromOtherSequence(): Promise<number> {
    this.onCopy()
    return 0
  }
  getEmbedding = () => new Float64Array()
  getStateSize = () => 0
}
