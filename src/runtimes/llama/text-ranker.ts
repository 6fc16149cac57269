import type { RankRequest, RankResult } from '../../core/text-generation.ts'
import type { Abortable } from '../../core/waiting.ts'
import type { ModelFile } from './binding/open-model-file.ts'
import type { Vocabulary } from './binding/vocabulary.ts'
import type { EncoderContext } from './encoder-context.ts'
import { checkPromptFits, tooLong } from './prompt/prompt-tokens.ts'
import { tokenizeInTurns, tokenizeLongText } from './prompt/tokenize-in-turns.ts'

/** Scores texts against a query, with models that were trained on pairs of both. */
export class TextRanker {
  readonly #file: ModelFile
  readonly #vocabulary: Vocabulary
  readonly #context: EncoderContext

  constructor(file: ModelFile, vocabulary: Vocabulary, context: EncoderContext) {
    this.#file = file
    this.#vocabulary = vocabulary
    this.#context = context
  }

  /** @throws {ServiceError} `context_length_exceeded` before anything is computed. */
  async rank({ query, documents }: RankRequest, { signal }: Abortable): Promise<RankResult> {
    const requested = await this.#tokenize(query, { signal })
    const pair = async (document: string): Promise<Uint32Array> => {
      const tokens = Uint32Array.from(this.#pair(requested, await this.#tokenize(document, { signal })))
      checkPromptFits(tokens.length - 1, this.#context.length, 'documents')
      return tokens
    }
    const pairs = await tokenizeInTurns(documents, pair, { signal })
    const scores: number[] = []
    for (const tokens of pairs) scores.push(this.#share((await this.#context.read(tokens, { signal }))[0] ?? 0))
    return { scores, promptTokens: pairs.reduce((sum, tokens) => sum + tokens.length, 0) }
  }

  #tokenize(text: string, options: Abortable): Promise<Uint32Array> {
    const least = Math.ceil(Buffer.byteLength(text) / this.#file.longestToken)
    if (least > this.#context.length) throw tooLong(`at least ${least}`, this.#context.length, 'documents')
    return tokenizeLongText(this.#vocabulary, text, options)
  }

  /** Formats a pair as llama.cpp's server does: with the file's template, else with the tokenizer's separator tokens. */
  #pair(query: Uint32Array, document: Uint32Array): readonly number[] {
    const { native, ranking } = this.#file
    const { begin } = this.#vocabulary
    if (ranking.template !== null)
      return ranking.template
        .split(/(\{query\}|\{document\})/)
        .flatMap((part) => [
          ...(part === '{query}' ? query : part === '{document}' ? document : this.#vocabulary.tokenize(part, { special: true })),
        ])
    const { separator } = native
    const end = native.endsTexts ? [native.end ?? separator ?? []].flat() : []
    const between = ranking.addsSeparator && separator !== null ? [separator] : []
    return [...(begin === null ? [] : [begin]), ...query, ...end, ...between, ...document, ...end]
  }

  /** Most models answer a logit; those whose last step is a softmax over yes and no answer a share already. */
  #share(score: number): number {
    return this.#file.ranking.answersShares ? score : 1 / (1 + Math.exp(-score))
  }
}
