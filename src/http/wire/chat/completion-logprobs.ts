import type { TokenLogprob, UnscoredToken } from '../../../core/text-generation.ts'

import type { Answer } from '../answer.ts'
import type { completionLogprobsSchema } from './text-answers.ts'

/**
 * Log probabilities in the shape of plain completions.
 *
 * @param offset Characters of the choice before the first token.
 */
export function encodeCompletionLogprobs(
  { logprobs, unscored }: { readonly logprobs: readonly TokenLogprob[]; readonly unscored?: UnscoredToken | undefined },
  offset: number,
): Answer<typeof completionLogprobsSchema> {
  const first = unscored === undefined ? [] : [null]
  const tokens = [...(unscored === undefined ? [] : [unscored]), ...logprobs].map(({ token }) => token)
  let next = offset
  return {
    tokens,
    token_logprobs: [...first, ...logprobs.map(({ logprob }) => logprob)],
    top_logprobs: [...first, ...logprobs.map(({ top }) => Object.fromEntries(top.map(({ token, logprob }) => [token, logprob])))],
    text_offset: tokens.map((token) => {
      const at = next
      next += token.length
      return at
    }),
  }
}
