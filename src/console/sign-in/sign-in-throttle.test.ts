import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from '../../../test/support/test-clock.ts'
import { SignInThrottle } from './sign-in-throttle.ts'

const key = [{ name: 'ada', free: 2 }]
const tooMany = { code: 'rate_limit_exceeded' }

test('the first failures are free, then pauses double', async () => {
  const clock = createTestClock()
  const throttle = new SignInThrottle(clock)
  throttle.noteFailure(key)
  throttle.check(key)
  throttle.noteFailure(key)
  assert.throws(() => throttle.check(key), { ...tooMany, retryAfterSeconds: 1 })
  await clock.advance(1000)
  throttle.check(key)
  throttle.noteFailure(key)
  assert.throws(() => throttle.check(key), { ...tooMany, retryAfterSeconds: 2 })
})

test('no pause is longer than five minutes', () => {
  const throttle = new SignInThrottle(createTestClock())
  for (let failure = 0; failure < 40; failure++) throttle.noteFailure(key)
  assert.throws(() => throttle.check(key), { ...tooMany, retryAfterSeconds: 300 })
})

test('a success and an hour of peace both clear the count', async () => {
  const clock = createTestClock()
  const throttle = new SignInThrottle(clock)
  for (let failure = 0; failure < 9; failure++) throttle.noteFailure(key)
  throttle.noteSuccess(key)
  throttle.check(key)
  for (let failure = 0; failure < 9; failure++) throttle.noteFailure(key)
  await clock.advance(60 * 60 * 1000)
  throttle.noteFailure(key)
  throttle.check(key)
})

test('other people are not slowed down', () => {
  const throttle = new SignInThrottle(createTestClock())
  for (let failure = 0; failure < 9; failure++) throttle.noteFailure(key)
  throttle.check([{ name: 'bob', free: 2 }])
})
