import type { Caller } from '../core/access-token.ts'
import type { TextPart, TextRequest, TokenUsage } from '../core/text-generation.ts'
import { generateText } from './generate-text.ts'
import type { InteractiveDependencies } from './interactive-dependencies.ts'

/**
 * Runs text requests whose caller waits one after the other, each booked by itself, as if they were one with the choices of all. Leaving the
 * iteration frees the slot.
 *
 * @throws {ServiceError} what {@link generateText} throws.
 */
export async function* generateSeveral(
  deps: InteractiveDependencies,
  { caller, requests, kind }: { readonly caller: Caller; readonly requests: readonly TextRequest[]; readonly kind: 'chat' | 'completion' },
  { signal }: { readonly signal: AbortSignal },
): AsyncGenerator<TextPart, void, undefined> {
  let before = 0
  let usage: TokenUsage = { promptTokens: 0, completionTokens: 0, cachedTokens: 0 }
  for (const request of requests) {
    for await (const part of generateText(deps, { caller, request, kind }, { signal })) {
      if (part.type === 'finish') usage = addUsage(usage, part.usage)
      else if (part.type !== 'prompt') yield { ...part, choice: before + part.choice }
    }
    before += request.choices
  }
  yield { type: 'finish', usage }
}

function addUsage(one: TokenUsage, other: TokenUsage): TokenUsage {
  const thoughtTokens = (one.thoughtTokens ?? 0) + (other.thoughtTokens ?? 0)
  return {
    promptTokens: one.promptTokens + other.promptTokens,
    completionTokens: one.completionTokens + other.completionTokens,
    cachedTokens: one.cachedTokens + other.cachedTokens,
    ...(thoughtTokens > 0 && { thoughtTokens }),
  }
}
