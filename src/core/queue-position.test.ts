import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countedPlaces, estimateBefore, findQueuePosition } from './queue-position.ts'

test('a long queue of one account puts little before another account', () => {
  const shares = [
    { accountId: 'busy', pending: 1000, turn: 5 },
    { accountId: 'calm', pending: 2, turn: 7 },
  ]
  assert.equal(findQueuePosition({ accountId: 'calm', before: 0 }, shares, 0), 2)
  assert.equal(findQueuePosition({ accountId: 'calm', before: 1 }, shares, 0), 4)
  assert.equal(findQueuePosition({ accountId: 'busy', before: 0 }, shares, 0), 1)
  assert.equal(findQueuePosition({ accountId: 'busy', before: 9 }, shares, 0), 12)
})

test('everything of higher priority goes first', () => {
  assert.equal(findQueuePosition({ accountId: 'a', before: 0 }, [{ accountId: 'a', pending: 1, turn: 0 }], 40), 41)
})

test('a place far back is estimated by the numbers of the queue, and never as one that is counted', () => {
  const queue = { pending: 50_000, first: 1000, last: 50_999 }
  assert.equal(estimateBefore(queue, 26_000), 25_000)
  assert.equal(estimateBefore({ ...queue, pending: 25_000 }, 26_000), 12_500)
  assert.equal(estimateBefore({ ...queue, pending: 1002 }, 2003), countedPlaces)
})
