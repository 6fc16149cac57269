import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Turns } from './turns.ts'
import { neverAborted } from './waiting.ts'

const { signal } = neverAborted

test('callers with the same key take turns in order; those with another key do not wait', async () => {
  const turns = new Turns(1)
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

test('a waiting caller that leaves does not affect the others', async () => {
  const turns = new Turns(1)
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

test('the allowed number of callers work at once', async () => {
  const turns = new Turns(2)
  const [first, second] = [await turns.take('a', { signal }), await turns.take('a', { signal })]
  let isGranted = false
  const third = turns.take('a', { signal }).then((turn) => {
    isGranted = true
    return turn
  })
  await Promise.resolve()
  assert.equal(isGranted, false)
  second[Symbol.dispose]()
  ;(await third)[Symbol.dispose]()
  first[Symbol.dispose]()
  await turns.take('a', { signal })
})

test('a turn granted while its caller leaves goes to the next caller', async () => {
  const turns = new Turns(1)
  const first = await turns.take('a', { signal })
  const controller = new AbortController()
  const leaving = turns.take('a', { signal: controller.signal })
  const third = turns.take('a', { signal })
  controller.abort(new Error('the client left'))
  first[Symbol.dispose]()
  await assert.rejects(leaving, /left/)
  await third
})

test('an aborted caller does not get a turn', async () => {
  const turns = new Turns(1)
  await assert.rejects(turns.take('a', { signal: AbortSignal.abort(new Error('gone')) }), /gone/)
  await turns.take('a', { signal })
})
