import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planGuess } from './speculation.ts'

const one = { sequences: 1, reach: 8, rate: 0.9, msPerToken: 0 }
/** The time of a batch: all weights once, plus a little for every token. */
const memoryBound = (tokens: number): number => 10 + tokens
const computeBound = (tokens: number): number => 10 * tokens

test('guesses many tokens if larger batches cost little more and guesses are good', () => {
  assert.equal(planGuess(one, memoryBound), 8)
})

test('guesses fewer tokens the worse the guesses are, and finally none', () => {
  const lengths = [0.9, 0.5, 0.3, 0.05].map((rate) => planGuess({ ...one, rate }, memoryBound))
  assert.deepEqual(
    lengths,
    lengths.toSorted((a, b) => b - a),
  )
  assert.equal(lengths.at(-1), 0)
})

test('guesses nothing if every token adds its full cost', () => {
  assert.equal(planGuess(one, computeBound), 0)
})

test('guesses nothing if guessing takes too long', () => {
  assert.equal(planGuess({ ...one, msPerToken: 10 }, memoryBound), 0)
})

test('guesses nothing before anything is measured', () => {
  assert.equal(
    planGuess(one, () => 0),
    0,
  )
})
