/** Numbers are written with at most 15 digits before the point: ends that are farther out, or open, are here. */
export const farthest = 999_999_999_999_999

/**
 * GBNF for the integers from `minimum` to `maximum`, either of which may be open.
 *
 * @param limits Safe integers; open ends are bounded at 15 digits.
 */
export function integerRange({ minimum, maximum }: { readonly minimum: number | null; readonly maximum: number | null }): string {
  const low = minimum ?? -farthest
  const high = maximum ?? farthest
  const parts: string[] = []
  if (low < 0) parts.push(`"-" (${naturalRange(Math.max(1, -high), -low)})`)
  if (high >= 0) parts.push(`(${naturalRange(Math.max(0, low), high)})`)
  return parts.join(' | ')
}

/** Natural numbers from `low` to `high`, split into runs of one length. */
function naturalRange(low: number, high: number): string {
  const parts: string[] = []
  for (let length = String(low).length; length <= String(high).length; length++) {
    const from = Math.max(low, length === 1 ? 0 : 10 ** (length - 1))
    const to = Math.min(high, 10 ** length - 1)
    parts.push(sameLengthRange(String(from), String(to)))
  }
  return parts.join(' | ')
}

/** Digit strings of one length from `low` to `high`. */
function sameLengthRange(low: string, high: string): string {
  const rest = low.length - 1
  const [first, last] = [Number(low[0]), Number(high[0])]
  if (rest === 0) return `[${first}-${last}]`
  if (first === last) return `"${first}" (${sameLengthRange(low.slice(1), high.slice(1))})`
  const [zeros, nines] = ['0'.repeat(rest), '9'.repeat(rest)]
  const startsWhole = low.endsWith(zeros)
  const endsWhole = high.endsWith(nines)
  const [from, to] = [startsWhole ? first : first + 1, endsWhole ? last : last - 1]
  const parts: string[] = []
  if (!startsWhole) parts.push(`"${first}" (${sameLengthRange(low.slice(1), nines)})`)
  if (from <= to) parts.push(`[${from}-${to}] [0-9]{${rest}}`)
  if (!endsWhole) parts.push(`"${last}" (${sameLengthRange(zeros, high.slice(1))})`)
  return parts.join(' | ')
}
