import type { TokenUsage } from '../../../core/text-generation.ts'

/** Token counts as every text route answers them. */
export function encodeTokenUsage({ promptTokens, completionTokens, cachedTokens }: TokenUsage) {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
  }
}
