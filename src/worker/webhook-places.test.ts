import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planDelivery } from './webhook-places.ts'

const plan = (attempts: number, result: Parameters<typeof planDelivery>[0]['result'], random = 0) =>
  planDelivery({ attempts, result, now: 1_000_000, random })

test('any 2xx ends a delivery, a redirect does not', () => {
  assert.equal(plan(0, { status: 204 }).state, 'delivered')
  assert.deepEqual([plan(0, { status: 302 }).state, plan(0, { status: 302 }).result], ['waiting', '302'])
})

test('waits from 5 seconds to a day, with up to a tenth of jitter, and then gives up', () => {
  assert.equal(plan(0, { reason: 'timeout' }).nextAttemptAt, 1_005_000)
  assert.equal(plan(0, { reason: 'timeout' }, 1).nextAttemptAt, 1_005_500)
  assert.equal(plan(8, { status: 500 }).nextAttemptAt, 1_000_000 + 24 * 60 * 60 * 1000)
  assert.equal(plan(9, { status: 500 }).state, 'given-up')
})

test('a receiver that returns 410 gets no further attempts', () => {
  assert.equal(plan(0, { status: 410 }).state, 'given-up')
})
