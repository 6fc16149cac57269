import type { TokenLogprob } from '../../../core/text-generation.ts'

/** Log probabilities as chat answers and chunks carry them. */
export function encodeChatLogprobs(logprobs: readonly TokenLogprob[]) {
  return {
    content: logprobs.map(({ token, logprob, bytes, top }) => ({
      token,
      logprob,
      bytes,
      top_logprobs: top.map((other) => ({ token: other.token, logprob: other.logprob, bytes: other.bytes })),
    })),
  }
}
