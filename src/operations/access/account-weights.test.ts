import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createTestClock } from '../../../test/support/test-clock.ts'
import { AccountWeights } from './account-weights.ts'

test('weights are read without waiting, every few seconds, and stay as they were while they cannot be read', async () => {
  const clock = createTestClock()
  const answers = [async () => new Map([['a', 3]]), () => Promise.reject(new Error('away')), async () => new Map([['a', 5]])]
  const faults: unknown[] = []
  let reads = 0
  const accounts = { weights: () => answers[reads++]?.() ?? assert.fail() }
  const weights = new AccountWeights({ accounts, clock, onFault: (fault) => faults.push(fault) })
  const seen: number[] = []
  for (const waitMs of [0, 0, 3999, 1, 0, 4000, 0]) {
    await clock.advance(waitMs)
    seen.push(weights.of('a'))
    assert.equal(weights.of('b'), 1)
    await setImmediate()
  }
  assert.deepEqual(seen, [1, 3, 3, 3, 3, 3, 5])
  assert.deepEqual([reads, String(faults)], [3, 'Error: away'])
})
