import Type from 'typebox'
import type { RankResult } from '../../../core/text-generation.ts'
import { type Answer, newId } from '../answer.ts'
import type { ParsedRerank } from './rerank-request.ts'

const count = Type.Integer({ minimum: 0 })
const index = Type.Integer({ minimum: 0, description: 'Its index in the request.' })
const score = Type.Number({ description: "How well it answers the query, 0 to 1; for a model on another server, that server's score." })

/** Answer of POST /v1/rerank. */
export const rerankSchema = Type.Object({
  id: Type.String({ pattern: '^rerank-[0-9a-f]{32}$' }),
  object: Type.Literal('list'),
  model: Type.String(),
  results: Type.Array(Type.Object({ index, relevance_score: score, document: Type.Optional(Type.Object({ text: Type.String() })) }), {
    description: 'The best first.',
  }),
  usage: Type.Object({ prompt_tokens: count, total_tokens: count }),
  meta: Type.Object({ tokens: Type.Object({ input_tokens: count }) }, { description: "Cohere's name for the usage." }),
})

/** Answer of POST /v1/rerank to `texts`. */
export const textRankSchema = Type.Array(Type.Object({ index, score, text: Type.Optional(Type.String()) }))

/** The results in the format of the request, best first; of two equal ones the earlier first. */
export function encodeRanking(
  model: string,
  { documents, most, withTexts, words }: ParsedRerank,
  { scores, promptTokens }: RankResult,
): Answer<typeof rerankSchema> | Answer<typeof textRankSchema> {
  const best = scores
    .map((score, index) => ({ score, index }))
    .toSorted((a, b) => b.score - a.score)
    .slice(0, most)
  const textOf = (index: number) => documents[index] ?? ''
  if (words === 'tei') return best.map(({ score, index }) => ({ index, score, text: withTexts ? textOf(index) : undefined }))
  return {
    id: newId('rerank-'),
    object: 'list',
    model,
    results: best.map(({ score, index }) => ({ index, relevance_score: score, document: withTexts ? { text: textOf(index) } : undefined })),
    usage: { prompt_tokens: promptTokens, total_tokens: promptTokens },
    meta: { tokens: { input_tokens: promptTokens } },
  }
}
