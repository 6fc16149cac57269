import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findRefusedWeight, readPromptWeights } from './prompt-weights.ts'

/** Rounded, so that products of factors compare. */
const read = (prompt: string): (readonly [string, number])[] =>
  readPromptWeights(prompt).map(({ text, weight }) => [text, Math.round(weight * 1000) / 1000] as const)

const cases: readonly (readonly [string, (readonly [string, number])[]])[] = [
  ['normal text', [['normal text', 1]]],
  ['', []],
  [
    'an (important) word',
    [
      ['an ', 1],
      ['important', 1.1],
      [' word', 1],
    ],
  ],
  [
    'a (cat:1.3) here',
    [
      ['a ', 1],
      ['cat', 1.3],
      [' here', 1],
    ],
  ],
  ['(fine: 0.5 )', [['fine', 0.5]]],
  ['[less]', [['less', 0.909]]],
  ['((twice))', [['twice', 1.21]]],
  [
    '(one [two] one)',
    [
      ['one ', 1.1],
      ['two', 1],
      [' one', 1.1],
    ],
  ],
  ['(unbalanced', [['unbalanced', 1.1]]],
  ['unbalanced)', [['unbalanced)', 1]]],
  ['\\(literal\\] \\\\', [['(literal] \\', 1]]],
  ['a:b, 3:2', [['a:b, 3:2', 1]]],
  ['(a:b)', [['a:b', 1.1]]],
  ['(x:1.2.3)', [['x:1.2.3)', 1.1]]],
  ['(x:-0.5)', [['x', -0.5]]],
  [
    'a (((house:1.3)) [on] a (hill:0.5), sun, (((sky))).',
    [
      ['a ', 1],
      ['house', 1.573],
      [' ', 1.1],
      ['on', 1],
      [' a ', 1.1],
      ['hill', 0.55],
      [', sun, ', 1.1],
      ['sky', 1.464],
      ['.', 1.1],
    ],
  ],
]

for (const [prompt, expected] of cases) {
  test(`weights of ${JSON.stringify(prompt)}`, () => {
    assert.deepEqual(read(prompt), expected)
  })
}

test('BREAK starts a new chunk, whatever its weight, and is not part of the prompt', () => {
  assert.deepEqual(readPromptWeights('a fox BREAK a (blue BREAK cold) sky'), [
    { text: 'a fox', weight: 1 },
    { text: 'a ', weight: 1, apart: true },
    { text: 'blue', weight: 1.1 },
    { text: 'cold', weight: 1.1, apart: true },
    { text: ' sky', weight: 1 },
  ])
  assert.deepEqual(readPromptWeights('a BREAKfast, break'), [{ text: 'a BREAKfast, break', weight: 1 }])
  assert.deepEqual(readPromptWeights('BREAK'), [{ text: '', weight: 1, apart: true }])
})

test('negative and very large weights are reported', () => {
  assert.equal(findRefusedWeight('a (fox:-0.5)'), -0.5)
  assert.equal(findRefusedWeight('((x:99))'), 99 * 1.1)
  for (const prompt of ['a (fox:0)', '(fox:100)', '[fox]']) assert.equal(findRefusedWeight(prompt), undefined)
})
