import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countedPlaces, estimateBefore, findQueuePosition } from './queue-position.ts'

test('a long queue of one account barely delays another account', () => {
  const shares = [
    { accountId: 'busy', pending: 1000, turn: 5, weight: 1, taken: 0 },
    { accountId: 'calm', pending: 2, turn: 7, weight: 1, taken: 0 },
  ]
  assert.equal(findQueuePosition({ accountId: 'calm', before: 0 }, shares, 0), 2)
  assert.equal(findQueuePosition({ accountId: 'calm', before: 1 }, shares, 0), 4)
  assert.equal(findQueuePosition({ accountId: 'busy', before: 0 }, shares, 0), 1)
  assert.equal(findQueuePosition({ accountId: 'busy', before: 9 }, shares, 0), 12)
})

test('an account of weight 3 has three claims per turn, minus those it has used in the current one', () => {
  const shares = [
    { accountId: 'heavy', pending: 9, turn: 1, weight: 3, taken: 1 },
    { accountId: 'light', pending: 9, turn: 2, weight: 1, taken: 0 },
  ]
  const placesOf = (accountId: string) => [0, 1, 2, 3].map((before) => findQueuePosition({ accountId, before }, shares, 0))
  assert.deepEqual(placesOf('heavy'), [1, 2, 4, 5])
  assert.deepEqual(placesOf('light'), [3, 7, 11, 13])
})

test('requests of higher priority come first', () => {
  assert.equal(findQueuePosition({ accountId: 'a', before: 0 }, [{ accountId: 'a', pending: 1, turn: 0, weight: 1, taken: 0 }], 40), 41)
})

test('a distant position is estimated from the size of the queue, and never below the counted ones', () => {
  const queue = { pending: 50_000, first: 1000, last: 50_999 }
  assert.equal(estimateBefore(queue, 26_000), 25_000)
  assert.equal(estimateBefore({ ...queue, pending: 25_000 }, 26_000), 12_500)
  assert.equal(estimateBefore({ ...queue, pending: 1002 }, 2003), countedPlaces)
})
