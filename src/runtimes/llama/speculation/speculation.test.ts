import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planGuess } from './speculation.ts'

const one = { sequences: 1, reach: 8, rate: 0.9, msPerToken: 0 }
/** A batch that reads all weights once, and a little more for every token. */
const memoryBound = (tokens: number): number => 10 + tokens
const computeBound = (tokens: number): number => 10 * tokens

test('guesses far where batches hardly grow and guesses are good', () => {
  assert.equal(planGuess(one, memoryBound), 8)
})

test('guesses less far the worse the guesses are, and at last nothing', () => {
  const lengths = [0.9, 0.5, 0.3, 0.05].map((rate) => planGuess({ ...one, rate }, memoryBound))
  assert.deepEqual(
    lengths,
    lengths.toSorted((a, b) => b - a),
  )
  assert.equal(lengths.at(-1), 0)
})

test('guesses nothing where every token costs its own time', () => {
  assert.equal(planGuess(one, computeBound), 0)
})

test('guesses nothing when guessing itself takes too long', () => {
  assert.equal(planGuess({ ...one, msPerToken: 10 }, memoryBound), 0)
})

test('guesses nothing before anything was measured', () => {
  assert.equal(
    planGuess(one, () => 0),
    0,
  )
})
