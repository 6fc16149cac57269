import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BatchPace } from './batch-pace.ts'

const alone = { decoding: false }

test('a fast model processes whole batches', () => {
  const pace = new BatchPace(512)
  pace.note(128, 10)
  assert.equal(pace.limit(alone), 512)
})

test('while other texts are generated, batches are half as long', () => {
  const pace = new BatchPace(512)
  pace.note(128, 64)
  assert.equal(pace.limit(alone), 400)
  assert.equal(pace.limit({ decoding: true }), 200)
})

test('a slow model processes batches of limited duration, but never tiny ones', () => {
  const pace = new BatchPace(512)
  pace.note(128, 256)
  assert.equal(pace.limit(alone), 100)
  for (let batch = 0; batch < 50; batch++) pace.note(100, 5000)
  assert.equal(pace.limit(alone), 64)
})

test('the first batch is small, before anything is measured', () => {
  assert.equal(new BatchPace(512).limit(alone), 128)
})

test('a batch of a few tokens does not change the limit', () => {
  const pace = new BatchPace(512)
  pace.note(1, 1000)
  assert.equal(pace.limit(alone), 128)
})

test('a batch is expected to be as quick as the previous one', () => {
  const pace = new BatchPace(512)
  assert.equal(pace.isQuick, false)
  for (const [milliseconds, isQuick] of [
    [10, true],
    [40, false],
    [25, true],
  ] as const) {
    pace.note(1, milliseconds)
    assert.equal(pace.isQuick, isQuick)
  }
})
