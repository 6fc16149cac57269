import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runWithin } from './time-box.ts'

test('work gives its result', () => {
  assert.equal(
    runWithin(1000, () => 6 * 7),
    42,
  )
})

test('an endless loop is stopped', () => {
  const endless = (): never => {
    for (;;);
  }
  assert.throws(() => runWithin(20, endless), { code: 'ERR_SCRIPT_EXECUTION_TIMEOUT' })
})

test('an error of the work comes through, and the next work runs', () => {
  assert.throws(
    () =>
      runWithin(1000, () => {
        throw new RangeError('mine')
      }),
    RangeError,
  )
  assert.equal(
    runWithin(1000, () => 'next'),
    'next',
  )
})
