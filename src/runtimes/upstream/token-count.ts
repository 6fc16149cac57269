import type { TokenUsage } from '../../core/text-generation.ts'

/** More than any answer has: what one server says once must not empty a budget for ever. */
const mostTokens = 2 ** 30

/** The token counts that a server reports; missing ones are estimated. */
export interface CountedTokens extends Omit<TokenUsage, 'promptTokens' | 'completionTokens'> {
  readonly promptTokens: number | undefined
  readonly completionTokens: number | undefined
}

/**
 * A number of tokens as a server tells it; it goes into books and budgets, where a wrong one would stay.
 *
 * @returns undefined for what is no number that there can be.
 */
export function countOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
  if (typeof number !== 'number' || !(number >= 0) || number > mostTokens) return undefined
  return Math.ceil(number)
}
