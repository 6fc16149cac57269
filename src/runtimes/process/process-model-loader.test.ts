import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ThreadShares } from './thread-shares.ts'

function take(): { useThreads(count: number): void; readonly reported: number[] } {
  const reported: number[] = []
  return { useThreads: (count) => reported.push(count), reported }
}

test('working engines share the threads evenly, and a single one uses all of them', () => {
  const shares = new ThreadShares(7)
  const [one, two, three] = [take(), take(), take()]
  shares.note(one, true)
  assert.deepEqual(one.reported, [], 'it has all threads from the start')
  shares.note(two, true)
  shares.note(three, true)
  shares.note(two, false)
  shares.note(three, false)
  assert.deepEqual(
    [one.reported, two.reported, three.reported],
    [
      [3, 2, 3, 7],
      [3, 2],
      [2, 3],
    ],
  )
  shares.note(one, false)
  shares.note(two, true)
  assert.deepEqual(two.reported, [3, 2, 7], 'the share of two threads no longer applies')
})

test('every engine has at least one thread', () => {
  const shares = new ThreadShares(1)
  const both = [take(), take()]
  for (const each of both) shares.note(each, true)
  assert.deepEqual(
    both.map(({ reported }) => reported),
    [[], []],
  )
})
