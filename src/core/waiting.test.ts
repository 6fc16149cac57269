import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { describe, test } from 'node:test'
import { createTestClock } from '../../test/support/test-clock.ts'
import { firstOf, neverAborted, OnDemand, orAborted } from './waiting.ts'

const never = new Promise<never>(() => {})

describe('orAborted', () => {
  test('settles like the promise and removes its listener', async () => {
    const { signal } = new AbortController()
    assert.equal(await orAborted(Promise.resolve(7), signal), 7)
    await assert.rejects(orAborted(Promise.reject(new Error('broken')), signal), /broken/)
    assert.equal(getEventListeners(signal, 'abort').length, 0)
  })

  test("rejects with the signal's reason, now or later, and ignores the promise from then on", async () => {
    const reason = new Error('gone')
    await assert.rejects(orAborted(never, AbortSignal.abort(reason)), reason)
    const controller = new AbortController()
    const slow = Promise.withResolvers<never>()
    const left = assert.rejects(orAborted(slow.promise, controller.signal), reason)
    controller.abort(reason)
    await left
    slow.reject(new Error('too late'))
  })
})

describe('firstOf', () => {
  test('aborts the other tasks', async () => {
    const clock = createTestClock()
    const aborted: string[] = []
    const recordAbort = (signal: AbortSignal) => {
      signal.addEventListener('abort', () => aborted.push('second'))
      return never
    }
    const waited = firstOf(neverAborted.signal, (signal) => clock.wait(1000, { signal }), recordAbort)
    await clock.advance(999)
    assert.deepEqual(aborted, [])
    await clock.advance(1)
    await waited
    assert.deepEqual(aborted, ['second'])
  })

  test('ends with the reason of its signal, and stops every wait', async () => {
    const clock = createTestClock()
    const reason = new Error('gone')
    const controller = new AbortController()
    const aborted: boolean[] = []
    const waited = firstOf(
      controller.signal,
      (signal) => clock.wait(1000, { signal }),
      (signal) => {
        signal.addEventListener('abort', () => aborted.push(true))
        return never
      },
    )
    const ended = assert.rejects(waited, reason)
    controller.abort(reason)
    await ended
    assert.deepEqual(aborted, [true])
  })

  test('fails with the first error', async () => {
    await assert.rejects(
      firstOf(
        neverAborted.signal,
        () => never,
        () => Promise.reject(new Error('broken')),
      ),
      /broken/,
    )
  })
})

test('uses at once share one opening, and a failed one is tried again by the next use', async () => {
  let openings = 0
  const failure = new Error('Too many open files')
  const number = new OnDemand(async () => {
    if (++openings === 1) throw failure
    return openings
  })
  assert.equal(await number.opened(), null)
  assert.deepEqual(await Promise.allSettled([number.get(), number.get()]), Array(2).fill({ status: 'rejected', reason: failure }))
  assert.equal(await number.opened(), null)
  assert.deepEqual(await Promise.all([number.get(), number.get()]), [2, 2])
  assert.equal(await number.opened(), 2)
  assert.equal(openings, 2)
})
