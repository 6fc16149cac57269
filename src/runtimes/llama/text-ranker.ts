import type { RankRequest, RankResult } from '../../core/text-generation.ts'
import type { Abortable } from '../../core/waiting.ts'
import { tokenizeInTurns } from './prompt/tokenize-in-turns.ts'
import { checkTextFits, type EncoderModel, tokenizeWithin } from './text-embedder.ts'

/**
 * Scores texts against a query, with models that were trained on pairs of both.
 *
 * @throws {ServiceError} `context_length_exceeded` before anything is computed.
 */
export async function rankTexts(model: EncoderModel, { query, documents }: RankRequest, { signal }: Abortable): Promise<RankResult> {
  const { encoder, file } = model
  const requested = await tokenizeWithin(model, query, 'documents', { signal })
  const pair = async (document: string): Promise<Uint32Array> => {
    const tokens = Uint32Array.from(joinPair(model, requested, await tokenizeWithin(model, document, 'documents', { signal })))
    checkTextFits(tokens.length, encoder, 'documents')
    return tokens
  }
  const pairs = await tokenizeInTurns(documents, pair, { signal })
  const scores: number[] = []
  for (const tokens of pairs) {
    const score = (await encoder.read(tokens, { signal }))[0] ?? 0
    // Most models answer a logit; those whose last step is a softmax over yes and no answer a share already.
    scores.push(file.ranking.answersShares ? score : 1 / (1 + Math.exp(-score)))
  }
  return { scores, promptTokens: pairs.reduce((sum, tokens) => sum + tokens.length, 0) }
}

/** Formats a pair as llama.cpp's server does: with the file's template, else with the tokenizer's separator tokens. */
function joinPair({ file, vocabulary }: EncoderModel, query: Uint32Array, document: Uint32Array): readonly number[] {
  const { native, ranking } = file
  if (ranking.template !== null)
    return ranking.template
      .split(/(\{query\}|\{document\})/)
      .flatMap((part) => [
        ...(part === '{query}' ? query : part === '{document}' ? document : vocabulary.tokenize(part, { special: true })),
      ])
  const { separator } = native
  const end = native.endsTexts ? [native.end ?? separator ?? []].flat() : []
  const between = ranking.addsSeparator && separator !== null ? [separator] : []
  return [...(vocabulary.begin === null ? [] : [vocabulary.begin]), ...query, ...end, ...between, ...document, ...end]
}
