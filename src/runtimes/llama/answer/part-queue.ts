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

  /** Everything pushed, in order, until `finish`; throws what `fail` was given at once. */
  async *read(): AsyncGenerator<TextPart, void, undefined> {
    for (;;) {
      if (this.#end !== null && this.#end !== 'finished') throw this.#end.error
      const parts = this.#parts
      this.#parts = []
      for (const part of parts) yield part
      if (this.#parts.length > 0) continue
      if (this.#end === 'finished') return
      if (this.#end === null)
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
    }
  }
}
