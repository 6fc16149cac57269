import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from '../../../test/support/test-clock.ts'
import { RecentValues } from './recent-values.ts'

test('a value is looked up again after four seconds, each key by itself', async () => {
  const clock = createTestClock()
  const values = new RecentValues<number>(clock)
  let lookUps = 0
  const lookUp = async () => ++lookUps
  assert.deepEqual([await values.get('a', lookUp), await values.get('a', lookUp), await values.get('b', lookUp)], [1, 1, 2])
  await clock.advance(3999)
  assert.equal(await values.get('a', lookUp), 1)
  await clock.advance(1)
  assert.equal(await values.get('a', lookUp), 3)
})

test('a look-up that failed is not remembered', async () => {
  const values = new RecentValues<number>(createTestClock())
  await assert.rejects(
    values.get('a', () => Promise.reject(new Error('closed'))),
    /closed/,
  )
  assert.equal(await values.get('a', async () => 5), 5)
})
