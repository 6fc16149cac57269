import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keepNewest } from './keep-newest.ts'

test('an entry that is set becomes the newest, and the oldest one beyond the limit is dropped', () => {
  const entries = new Map<string, number>()
  for (const [value, key] of ['a', 'b', 'a', 'c'].entries()) keepNewest(entries, key, value, 2)
  assert.deepEqual(
    [...entries],
    [
      ['a', 2],
      ['c', 3],
    ],
  )
})
