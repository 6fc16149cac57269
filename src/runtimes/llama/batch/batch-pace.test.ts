import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BatchPace } from './batch-pace.ts'

const alone = { decoding: false }

test('a fast model takes whole batches', () => {
  const pace = new BatchPace(512)
  pace.note(128, 10)
  assert.equal(pace.limit(alone), 512)
})

test('while others decode, batches are half as long', () => {
  const pace = new BatchPace(512)
  pace.note(128, 64)
  assert.equal(pace.limit(alone), 400)
  assert.equal(pace.limit({ decoding: true }), 200)
})

test('a slow model takes batches of bearable length, but never tiny ones', () => {
  const pace = new BatchPace(512)
  pace.note(128, 256)
  assert.equal(pace.limit(alone), 100)
  for (let batch = 0; batch < 50; batch++) pace.note(100, 5000)
  assert.equal(pace.limit(alone), 64)
})

test('before anything was measured the first batch is small', () => {
  assert.equal(new BatchPace(512).limit(alone), 128)
})

test('a batch of a few tokens teaches nothing', () => {
  const pace = new BatchPace(512)
  pace.note(1, 1000)
  assert.equal(pace.limit(alone), 128)
})

test('a batch is as quick as the one before it', () => {
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
