import { finishWords } from '../../../core/text/finish-words.ts'
import type { TextRequest } from '../../../core/text-generation.ts'
import type { TextResult } from '../../../operations/collect-text.ts'
import type { Answer } from '../answer.ts'
import type { CompletionHead } from './completion-head.ts'
import { encodeCompletionLogprobs } from './completion-logprobs.ts'
import type { completionSchema } from './text-answers.ts'
import { encodeTokenUsage } from './token-usage.ts'

/** The answer of a plain completion that is not streamed. */
export function encodeCompletion(head: CompletionHead, request: TextRequest, result: TextResult): Answer<typeof completionSchema> {
  return {
    id: head.id,
    object: 'text_completion',
    created: head.created,
    model: head.model,
    system_fingerprint: null,
    choices: result.choices.map(({ text, logprobs, unscored, reason }, index) => ({
      index,
      text,
      logprobs: request.topLogprobs === null ? null : encodeCompletionLogprobs({ logprobs, unscored }, 0),
      finish_reason: finishWords[reason].openAi,
    })),
    usage: encodeTokenUsage(result.usage),
  }
}
