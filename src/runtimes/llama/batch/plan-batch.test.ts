import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planBatch } from './plan-batch.ts'
import { planMove } from './sequence-table.ts'

test('decoding sequences share a batch, by ascending id', () => {
  const pending = [
    { id: 2, tokens: 1, arrival: 0 },
    { id: 0, tokens: 1, arrival: 1 },
  ]
  assert.deepEqual(planBatch(pending, 128), [
    { id: 0, count: 1, complete: true },
    { id: 2, count: 1, complete: true },
  ])
})

test('a long prompt is split so that it does not stall the others', () => {
  const pending = [
    { id: 0, tokens: 1000, arrival: 0 },
    { id: 1, tokens: 1, arrival: 1 },
  ]
  assert.deepEqual(planBatch(pending, 128), [
    { id: 0, count: 128, complete: false },
    { id: 1, count: 1, complete: true },
  ])
})

test('the older prompt goes first', () => {
  const pending = [
    { id: 0, tokens: 400, arrival: 1 },
    { id: 1, tokens: 400, arrival: 0 },
  ]
  assert.deepEqual(planBatch(pending, 512), [
    { id: 0, count: 64, complete: false },
    { id: 1, count: 400, complete: true },
  ])
})

test('a short prompt that does not fit after another waits for the next batch', () => {
  const pending = [
    { id: 0, tokens: 40, arrival: 0 },
    { id: 1, tokens: 40, arrival: 1 },
  ]
  assert.deepEqual(planBatch(pending, 64), [{ id: 0, count: 40, complete: true }])
  assert.deepEqual(planBatch(pending.slice(1), 32), [{ id: 1, count: 32, complete: false }])
})

test('a gap between running sequences is closed by moving the last one', () => {
  assert.deepEqual(planMove([1, 2, 5]), { from: 5, to: 3 })
})

test('adjacent sequences are not moved', () => {
  assert.equal(planMove([3, 4, 5]), null)
  assert.equal(planMove([]), null)
})
