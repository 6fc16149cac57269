import type { TextModel } from '../../src/core/ports/text-model.ts'
import type { TextPart } from '../../src/core/text-generation.ts'

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

  /** Resolves when nothing was made for many turns of the event loop. */
  async still(): Promise<void> {
    for (let quiet = 0, before = 0; quiet < 200; quiet = this.parts > 0 && this.parts === before ? quiet + 1 : 0) {
      before = this.parts
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
}
