import type { TextModel } from '../../src/core/ports/text-model.ts'
import type { TextPart } from '../../src/core/text-generation.ts'

/** Longer than a system with more to do than it can leaves bytes between two of its own sockets; a pause of this process is one turn. */
const [stillMs, stillTurns] = [500, 500]

/** A model that never ends and counts what it makes. */
export class Flood implements TextModel {
  parts = 0
  readonly #ended = Promise.withResolvers<void>()
  readonly ended = this.#ended.promise

  async *generate(): AsyncGenerator<TextPart, void, undefined> {
    try {
      for (;;) {
        this.parts += 1
        yield { type: 'text', choice: 0, text: 'x'.repeat(10_000) }
      }
    } finally {
      this.#ended.resolve()
    }
  }

  embed(): Promise<never> {
    return Promise.reject(new TypeError('A flood embeds nothing'))
  }

  /** Resolves when more was made than so much. */
  async grown(parts: number): Promise<void> {
    while (this.parts <= parts) await new Promise((resolve) => setImmediate(resolve))
  }

  /** Resolves when something was made and no more follows. The system may still take a moment to pass on what it buffers. */
  async still(): Promise<void> {
    for (let before = -1; this.parts === 0 || this.parts !== before; ) {
      before = this.parts
      const end = performance.now() + stillMs
      for (let turn = 0; this.parts === before && (turn < stillTurns || performance.now() < end); turn++)
        await new Promise((resolve) => setImmediate(resolve))
    }
  }
}
