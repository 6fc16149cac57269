import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CountingContext } from '../binding/counting-context.ts'
import { findContinuation, requireTakingBack } from './open-guesser.ts'

test('a model that cannot discard tokens is rejected when it is loaded', async () => {
  const context = new CountingContext()
  await requireTakingBack(context)
  context.forgets = false
  await assert.rejects(requireTakingBack(context), /remove "speculative"/)
})

test('finds what followed an earlier occurrence of the last three tokens', () => {
  assert.deepEqual([...findContinuation([1, 2, 3, 4, 5, 6, 1, 2, 3], 2)], [4, 5])
})

test('prefers the latest occurrence', () => {
  assert.deepEqual([...findContinuation([1, 2, 3, 4, 1, 2, 3, 5, 1, 2, 3], 1)], [5])
})

test('a repeating text is continued with its repetition', () => {
  assert.deepEqual([...findContinuation([7, 8, 7, 8, 7], 5)], [8, 7, 8, 7, 8])
})

test('new words and very short texts give no guess', () => {
  assert.deepEqual([...findContinuation([1, 2, 3, 4], 8)], [])
  assert.deepEqual([...findContinuation([1, 2], 8)], [])
  assert.deepEqual([...findContinuation([], 8)], [])
})
