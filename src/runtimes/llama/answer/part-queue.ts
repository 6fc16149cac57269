import type { TextPart } from '../../../core/text-generation.ts'

/** Parts on their way from the decode loop to one reader. */
export class PartQueue {
  #parts: TextPart[] = []
  #end: { readonly error: unknown } | 'finished' | null = null
  #wake: () => void = () => {}

  push(part: TextPart): void {
    this.#parts.push(part)
    this.#wake()
  }

  finish(): void {
    this.#end ??= 'finished'
    this.#wake()
  }

  fail(error: unknown): void {
    this.#end ??= { error }
    this.#wake()
  }

  /**
   * Returns the parts pushed since the last call, in order, waiting for at least one; empty after `finish` once all were taken; throws the
   * error of `fail` at once.
   */
  async take(): Promise<readonly TextPart[]> {
    while (this.#parts.length === 0 && this.#end === null)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    if (this.#end !== null && this.#end !== 'finished') throw this.#end.error
    const parts = this.#parts
    this.#parts = []
    return parts
  }
}
