import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DrawingTurns } from './drawing-turns.ts'

const { signal } = new AbortController()

test('turns at one server come one after the other, and at others at once', async () => {
  const turns = new DrawingTurns()
  const seen: string[] = []
  const first = await turns.take('a', { signal })
  const second = turns.take('a', { signal }).then((turn) => {
    seen.push('second')
    turn[Symbol.dispose]()
  })
  const third = turns.take('a', { signal }).then(() => seen.push('third'))
  ;(await turns.take('b', { signal }))[Symbol.dispose]()
  seen.push('first')
  first[Symbol.dispose]()
  await Promise.all([second, third])
  assert.deepEqual(seen, ['first', 'second', 'third'])
})

test('who stops waiting leaves the turn of nobody else', async () => {
  const turns = new DrawingTurns()
  const first = await turns.take('a', { signal })
  const controller = new AbortController()
  const leaving = turns.take('a', { signal: controller.signal })
  const third = turns.take('a', { signal })
  const reason = new Error('the client left')
  controller.abort(reason)
  await assert.rejects(leaving, reason)
  first[Symbol.dispose]()
  await third
})
