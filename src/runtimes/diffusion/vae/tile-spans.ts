/** A stretch of a length: where it starts and how long it is. */
export interface Span {
  readonly start: number
  readonly length: number
}

/** Stretches of at most `tile` that cover a length, each overlapping the next by at least `overlap`. */
export function tileSpans(length: number, tile: number, overlap: number): readonly Span[] {
  if (length <= tile) return [{ start: 0, length }]
  const count = Math.ceil((length - overlap) / (tile - overlap))
  return Array.from({ length: count }, (_, i) => ({ start: Math.round((i * (length - tile)) / (count - 1)), length: tile }))
}

/**
 * How much a tile counts at each place of its span: rising where it overlaps the one before, falling where it overlaps
 * the one after, never zero.
 */
export function tileWeights({ start, length }: Span, whole: number, overlap: number): readonly number[] {
  return Array.from({ length }, (_, i) => {
    const fromStart = start === 0 ? 1 : Math.min((i + 1) / (overlap + 1), 1)
    const fromEnd = start + length === whole ? 1 : Math.min((length - i) / (overlap + 1), 1)
    return Math.min(fromStart, fromEnd)
  })
}
