import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from './test-clock.ts'

const { signal } = new AbortController()

test('wakes waits in the order of their due times', async () => {
  const clock = createTestClock(1000)
  const woken: [string, number][] = []
  const note = (name: string, ms: number) => clock.wait(ms, { signal }).then(() => woken.push([name, clock.now()]))
  note('late', 30)
  note('early', 10).then(() => note('chained', 5))
  await clock.advance(29)
  assert.deepEqual(woken, [
    ['early', 1010],
    ['chained', 1015],
  ])
  assert.equal(clock.now(), 1029)
})

test('an aborted wait rejects with the reason and is no longer counted', async () => {
  const clock = createTestClock()
  const controller = new AbortController()
  const waited = clock.wait(10, { signal: controller.signal })
  await clock.waiting(1)
  controller.abort(new Error('left'))
  await assert.rejects(waited, /left/)
  await clock.advance(20)
})
