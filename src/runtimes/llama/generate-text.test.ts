import assert from 'node:assert/strict'
import { test } from 'node:test'
import { choiceSeed } from './generate-text.ts'

test('a seed and a choice give the same 32 bits every time, and every other pair gives different ones', () => {
  const pairs = [0, 1, 2, 42, 2 ** 32, 2 ** 40 + 1, -1].flatMap((seed) => [0, 1, 2, 15].map((choice) => [seed, choice] as const))
  const seeds = pairs.map(([seed, choice]) => choiceSeed(seed, choice))
  assert.deepEqual(
    seeds,
    pairs.map(([seed, choice]) => choiceSeed(seed, choice)),
  )
  assert.equal(new Set(seeds).size, pairs.length)
  assert.ok(seeds.every((seed) => Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32))
})
