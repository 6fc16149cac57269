import type { TokenLogprob } from '../../../core/text-generation.ts'

import type { Answer } from '../answer.ts'
import type { chatLogprobsSchema } from './text-answers.ts'

/** Log probabilities of chat answers and chunks. */
export function encodeChatLogprobs(logprobs: readonly TokenLogprob[]): Answer<typeof chatLogprobsSchema> {
  return {
    content: logprobs.map(({ token, logprob, bytes, top }) => ({
      token,
      logprob,
      bytes,
      top_logprobs: top.map((other) => ({ token: other.token, logprob: other.logprob, bytes: other.bytes })),
    })),
  }
}
