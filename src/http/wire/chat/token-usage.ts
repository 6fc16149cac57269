import type { TokenUsage } from '../../../core/text-generation.ts'

import type { Answer } from '../answer.ts'
import type { tokenUsageSchema } from './text-answers.ts'

/** Token counts of every text route. */
export function encodeTokenUsage({
  promptTokens,
  completionTokens,
  cachedTokens,
  thoughtTokens,
}: TokenUsage): Answer<typeof tokenUsageSchema> {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
    ...(thoughtTokens !== undefined && { completion_tokens_details: { reasoning_tokens: thoughtTokens } }),
  }
}
