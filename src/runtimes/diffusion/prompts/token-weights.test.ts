import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyWeights } from './token-weights.ts'

test('a weight scales its own token and no other, wherever their mean goes', () => {
  // A row whose mean is nearly zero, as SDXL's second encoder gives.
  const row = { hidden: Float32Array.of(1, -1, 2, -2.001), pooled: null, tokens: 2, width: 2 }
  assert.deepEqual([...applyWeights(row, [1, 3]).hidden], [1, -1, 6, Math.fround(Math.fround(-2.001) * 3)])
  assert.equal(applyWeights(row, [1, 1]), row)
})
