import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { limitPerTurn } from './limit-per-turn.ts'

test('simultaneous requests start in order, four in each turn of the event loop', async () => {
  const takeTurn = limitPerTurn(4)
  const seen: (number | string)[] = []
  const countTurns = async () => {
    for (const turn of ['turn', 'another']) {
      await setImmediate()
      seen.push(turn)
    }
  }
  const start = async (request: number) => {
    await takeTurn(1)
    seen.push(request)
  }
  await Promise.all([countTurns(), ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map(start)])
  assert.deepEqual(seen, [1, 2, 3, 4, 'turn', 5, 6, 7, 8, 'another', 9])
})
