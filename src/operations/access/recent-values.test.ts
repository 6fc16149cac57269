import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from '../../../test/support/test-clock.ts'
import { RecentValues } from './recent-values.ts'

const options = { signal: new AbortController().signal }

test('the value of each key is looked up again after four seconds', async () => {
  const clock = createTestClock()
  const values = new RecentValues<number>(clock)
  let lookUps = 0
  const lookUp = async () => ++lookUps
  assert.deepEqual(
    [await values.get('a', lookUp, options), await values.get('a', lookUp, options), await values.get('b', lookUp, options)],
    [1, 1, 2],
  )
  await clock.advance(3999)
  assert.equal(await values.get('a', lookUp, options), 1)
  await clock.advance(1)
  assert.equal(await values.get('a', lookUp, options), 3)
})

test('a look-up that failed is not remembered', async () => {
  const values = new RecentValues<number>(createTestClock())
  await assert.rejects(
    values.get('a', () => Promise.reject(new Error('closed')), options),
    /closed/,
  )
  assert.equal(await values.get('a', async () => 5, options), 5)
})

test('concurrent callers cause one look-up, and a caller who leaves does not affect the others', async () => {
  const values = new RecentValues<number>(createTestClock())
  const leaving = new AbortController()
  let lookUps = 0
  const lookUp = async ({ signal }: { readonly signal: AbortSignal }) => {
    await new Promise(setImmediate)
    signal.throwIfAborted()
    return ++lookUps
  }
  const first = values.get('a', lookUp, leaving)
  const others = Array.from({ length: 5 }, () => values.get('a', lookUp, options))
  leaving.abort(new Error('left'))
  await assert.rejects(first, /left/)
  assert.deepEqual(await Promise.all(others), [1, 1, 1, 1, 1])
})

test('a value that is changed is not used for any longer', async () => {
  const clock = createTestClock()
  const values = new RecentValues<number>(clock)
  await values.get('a', async () => 1, options)
  await clock.advance(3999)
  values.change('a', (value) => value + 10)
  values.change('unknown', () => 5)
  assert.deepEqual([values.known('a'), values.known('unknown')], [11, undefined])
  await clock.advance(1)
  assert.equal(values.known('a'), undefined)
})
