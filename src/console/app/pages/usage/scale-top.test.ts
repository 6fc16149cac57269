import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scaleTop } from './usage-series.ts'

const cases: readonly (readonly [number, number])[] = [
  [0, 2],
  [1, 2],
  [3, 4],
  [7, 8],
  [11, 20],
  [61_000, 80_000],
]
for (const [highest, top] of cases) test(`an axis for ${highest} ends at ${top}`, () => assert.equal(scaleTop(highest), top))
