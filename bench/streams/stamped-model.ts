import type { TextModel } from '../../src/core/ports/text-model.ts'

/** Milliseconds of a clock that all processes of a machine share. */
export function readSharedClock(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

/** A model whose every token says when it was made, `tokenDelayMs` after the one before. */
export function createStampedModel({ tokenDelayMs }: { readonly tokenDelayMs: number }): TextModel {
  return {
    async *generate(request, { signal }) {
      const total = request.maxTokens ?? 0
      for (let token = 0; token < total; token++) {
        if (tokenDelayMs > 0) await new Promise((resolve) => setTimeout(resolve, tokenDelayMs))
        signal.throwIfAborted()
        yield { type: 'text', choice: 0, text: `${readSharedClock()} ` }
      }
      yield { type: 'choice-finish', choice: 0, reason: 'length' }
      yield { type: 'finish', usage: { promptTokens: 1, completionTokens: total, cachedTokens: 0 } }
    },
    embed: async () => ({ vectors: [], promptTokens: 0 }),
  }
}
