import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findContinuation } from './prompt-lookup.ts'

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
