import { makeBrokenError } from './upstream-error.ts'

/** More than any answer has: what one server says once must not empty a budget for ever. */
const mostTokens = 2 ** 30

/**
 * A number of tokens as a server tells it, 0 where it tells none; it goes into books and budgets, where a wrong one would stay.
 *
 * @throws {ServiceError} `inference_failed` for anything but a whole number that there can be.
 */
export function countOf(value: unknown): number {
  if (value === undefined || value === null) return 0
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > mostTokens)
    throw makeBrokenError('counted tokens in something else than whole numbers')
  return value
}
