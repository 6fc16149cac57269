import type { TokenUsage } from '../../core/text-generation.ts'

/** More than any answer has. One wrong report must not exhaust a budget. */
const mostTokens = 2 ** 30

/** The token counts that a server reports; missing ones are estimated. */
export interface CountedTokens extends Omit<TokenUsage, 'promptTokens' | 'completionTokens'> {
  readonly promptTokens: number | undefined
  readonly completionTokens: number | undefined
}

/**
 * Checks a server's token count, since a wrong one would stay in usage and budgets.
 *
 * @returns undefined if it is not a possible number of tokens.
 */
export function countOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
  if (typeof number !== 'number' || !(number >= 0) || number > mostTokens) return undefined
  return Math.ceil(number)
}
