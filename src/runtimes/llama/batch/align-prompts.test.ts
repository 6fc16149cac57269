import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alignPrompts, priceLeftOver } from './align-prompts.ts'

const cases: readonly [name: string, prompts: readonly [cached: number, fresh: number][], read: readonly number[]][] = [
  [
    'prompts of about the same length read as many tokens',
    [
      [20, 15],
      [20, 16],
      [20, 16],
      [20, 14],
    ],
    [16, 16, 16, 16],
  ],
  [
    'a much shorter one stays as it is',
    [
      [20, 3],
      [20, 16],
    ],
    [3, 16],
  ],
  [
    'what is not cached cannot be read again',
    [
      [0, 15],
      [20, 16],
    ],
    [15, 16],
  ],
  ['rows left over are filled up', [[20, 15]], [16]],
  ['one row left over is cheaper than three more', [[20, 13]], [13]],
  [
    'rows of several prompts count together',
    [
      [20, 6],
      [20, 6],
      [20, 6],
    ],
    [6, 6, 6],
  ],
  ['a row more for each of many prompts is dearer than what is left over', Array.from({ length: 7 }, () => [20, 13]), Array(7).fill(13)],
  ['nothing is read that is not there', [[0, 15]], [15]],
  [
    'beside one that decodes, what comes after the first token counts',
    [
      [20, 1],
      [20, 3],
    ],
    [1, 5],
  ],
  ['a single fresh token stays one', [[20, 1]], [1]],
  [
    'after a long context every token costs its attention',
    [
      [2000, 15],
      [2000, 17],
    ],
    [15, 17],
  ],
  ['nothing of nothing', [], []],
]

for (const [name, prompts, read] of cases)
  test(name, () => {
    const leftOver = priceLeftOver({ hasWideVectors: true, bytes: 75e6, quantization: 'Q4_0' })
    assert.deepEqual(
      alignPrompts(
        prompts.map(([cached, fresh]) => ({ cached, fresh })),
        leftOver,
      ),
      read,
    )
  })

for (const processor of [
  { hasWideVectors: false, bytes: 75e6, quantization: 'Q4_0' },
  { hasWideVectors: true, bytes: 8e6, quantization: 'Q4_0' },
])
  test(`without waiting for weights (${JSON.stringify(processor)}) only the last row of four is padded with cached tokens`, () => {
    const read = (fresh: number) => alignPrompts([{ cached: 20, fresh }], priceLeftOver(processor))[0]
    assert.deepEqual([9, 10, 12, 13, 14, 15].map(read), [9, 10, 12, 13, 14, 16])
  })

test('kernels that take every row by itself gain nothing from a cached token', () => {
  const leftOver = priceLeftOver({ hasWideVectors: true, bytes: 98e6, quantization: 'Q4_1' })
  assert.deepEqual(alignPrompts(Array(2).fill({ cached: 29, fresh: 11 }), leftOver), [11, 11])
  assert.deepEqual(alignPrompts([{ cached: 29, fresh: 11 }], leftOver), [11])
})
