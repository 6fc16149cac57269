import type { ReasoningEffort, TextRequest } from '../../../core/text-generation.ts'
import type { ChatTemplate } from './chat-template.ts'

/** Shares of an answer that thoughts may take where the model itself only hears whether to think, as OpenRouter shares it. */
const shares: Readonly<Record<ReasoningEffort, number>> = { none: 0, minimal: 0.1, low: 0.2, medium: 0.5, high: 0.8, xhigh: 0.95 }

/**
 * Tokens that a model may think before it has to answer; Infinity = as many as it likes.
 *
 * @param most Tokens that the answer may have, thoughts included.
 */
export function thoughtLimit(
  { thoughts, acceptsEffort, acceptsDegree }: Pick<ChatTemplate, 'thoughts' | 'acceptsEffort' | 'acceptsDegree'>,
  input: TextRequest['input'],
  most: number,
): number {
  if (input.type === 'prompt' || thoughts === null) return Number.POSITIVE_INFINITY
  const { thoughtTokens, effort, effortIsWish = false } = input
  if (thoughtTokens !== undefined) return thoughtTokens
  if (effort === undefined) return input.thinks === false ? 0 : Number.POSITIVE_INFINITY
  // A hint leaves a model as it is where its template has no such setting.
  if ((acceptsDegree && effort !== 'none') || (effortIsWish && !acceptsEffort)) return Number.POSITIVE_INFINITY
  return Math.floor(shares[effort] * most)
}
