import type { TokenLogprob } from '../../../core/text-generation.ts'

import type { Answer } from '../answer.ts'
import type { completionLogprobsSchema } from './text-answers.ts'

/**
 * Log probabilities in the shape of plain completions.
 *
 * @param offset Characters of the choice before the first token.
 */
export function encodeCompletionLogprobs(logprobs: readonly TokenLogprob[], offset: number): Answer<typeof completionLogprobsSchema> {
  let next = offset
  return {
    tokens: logprobs.map(({ token }) => token),
    token_logprobs: logprobs.map(({ logprob }) => logprob),
    top_logprobs: logprobs.map(({ top }) => Object.fromEntries(top.map(({ token, logprob }) => [token, logprob]))),
    text_offset: logprobs.map(({ token }) => {
      const at = next
      next += token.length
      return at
    }),
  }
}
