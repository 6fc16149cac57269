import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BatchCosts } from './batch-costs.ts'

test('sizes between two measured ones are interpolated linearly', () => {
  const costs = new BatchCosts()
  costs.note(5, 20)
  costs.note(1, 10)
  assert.ok(Math.abs(costs.estimate(3) - 15) < 0.1)
})

test('batches larger than any measured are estimated as cheap, so that they are tried', () => {
  const costs = new BatchCosts()
  assert.equal(costs.estimate(4), 0)
  costs.note(1, 10)
  assert.equal(costs.estimate(4), 10)
})

test('one slow batch has little effect', () => {
  const costs = new BatchCosts()
  costs.note(1, 10)
  costs.note(1, 1000)
  assert.ok(costs.estimate(1) < 12)
})

test('the estimate of an unmeasured size slowly falls', () => {
  const costs = new BatchCosts()
  costs.note(8, 100)
  for (let batch = 0; batch < 1000; batch++) costs.note(1, 10)
  assert.ok(costs.estimate(8) < 40)
  assert.equal(costs.estimate(1), 10)
})
