import type { Rows } from './native-batch.ts'
import type { DecodingContext, ScaledAdapter } from './native-context.ts'

/** A context without a model, for tests: the token after position p is p + 1, and every batch is written down as `sequence:tokens`. */
export class CountingContext implements DecodingContext {
  readonly batches: string[] = []
  /** Threads of every batch. */
  readonly threads: number[] = []
  failures = 0
  #batch: string[] = []
  #next: number[] = []

  /** Scales of the adapters of every batch. */
  readonly scales: (readonly number[])[] = []
  #scales: readonly number[] = []

  useAdapters(adapters: readonly ScaledAdapter[]): void {
    this.#scales = adapters.map(({ scale }) => scale)
  }
  initBatch(): void {
    this.#batch = []
    this.#next = []
  }
  addToBatch(id: number, first: number, tokens: Uint32Array, wanted: Uint32Array): Uint32Array {
    this.#batch.push(`${id}:${tokens.length}`)
    return wanted.map((index) => this.#next.push(first + index + 1) - 1)
  }
  /** Written down as `sequence:rows@position`, of the first row. */
  fillBatchWithRows(id: number, { count, positions }: Rows, { wanted }: { readonly wanted: boolean }): number {
    this.#batch = [`${id}:${count} rows@${positions[0]}`]
    return wanted ? this.#next.push((positions[count - 1] ?? 0) + 1) - 1 : 0
  }
  async decodeBatch(threads: number): Promise<boolean> {
    this.batches.push(this.#batch.join(' '))
    this.threads.push(threads)
    this.scales.push(this.#scales)
    if (this.failures-- > 0) throw new Error('Eval has failed')
    return true
  }
  sampleToken(index: number): Promise<number> {
    return Promise.resolve(this.#next[index] ?? -1)
  }
  stopBatch(): void {}
  disposeSequence(): void {}
  /** Removed ranges, as `sequence:start`. */
  readonly removals: string[] = []
  forgets = true
  removeTokenCellsFromSequence(id: number, start: number): boolean {
    this.removals.push(`${id}:${start}`)
    return this.forgets
  }
  onCopy: () => void = () => {}
  async copySequence(): Promise<void> {
    this.onCopy()
  }
  logits = () => new Float32Array()
}
