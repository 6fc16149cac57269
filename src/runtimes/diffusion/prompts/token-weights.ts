import type { EncodedRow } from './text-encoder.ts'

/**
 * Scales each token's embedding by its weight, then the whole row so that its mean stays what it was, as A1111's web
 * interface does. A row whose weights are all 1 is returned as it is.
 */
export function applyWeights(row: EncodedRow, weights: readonly number[]): EncodedRow {
  if (weights.every((weight) => weight === 1)) return row
  const weighted = row.hidden.map((value, i) => value * (weights[Math.floor(i / row.width)] ?? 1))
  const before = mean(row.hidden)
  const after = mean(weighted)
  const scale = after === 0 ? 1 : before / after
  return { ...row, hidden: weighted.map((value) => value * scale) }
}

function mean(values: Float32Array): number {
  let sum = 0
  for (const value of values) sum += value
  return sum / values.length
}
