import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CountingContext } from '../binding/counting-context.ts'
import { findContinuation, requireTakingBack } from './open-guesser.ts'

test('a model that cannot take back tokens is refused when it is loaded', async () => {
  const context = new CountingContext()
  await requireTakingBack(context)
  context.forgets = false
  await assert.rejects(requireTakingBack(context), /remove "speculative"/)
})

test('finds what followed the last three tokens where they stood before', () => {
  assert.deepEqual([...findContinuation([1, 2, 3, 4, 5, 6, 1, 2, 3], 2)], [4, 5])
})

test('prefers the latest place', () => {
  assert.deepEqual([...findContinuation([1, 2, 3, 4, 1, 2, 3, 5, 1, 2, 3], 1)], [5])
})

test('a text that repeats itself goes on doing so', () => {
  assert.deepEqual([...findContinuation([7, 8, 7, 8, 7], 5)], [8, 7, 8, 7, 8])
})

test('new words, and texts too short to tell, lead nowhere', () => {
  assert.deepEqual([...findContinuation([1, 2, 3, 4], 8)], [])
  assert.deepEqual([...findContinuation([1, 2], 8)], [])
  assert.deepEqual([...findContinuation([], 8)], [])
})
