import type { EncodedRow } from './text-encoder.ts'

/**
 * Scales each token's embedding by its weight. The mean is left as it comes out: SDXL's second encoder has one near zero,
 * and restoring it, as some programs do, turns strong weights into noise.
 */
export function applyWeights(row: EncodedRow, weights: readonly number[]): EncodedRow {
  if (weights.every((weight) => weight === 1)) return row
  return { ...row, hidden: row.hidden.map((value, i) => value * (weights[Math.floor(i / row.width)] ?? 1)) }
}
