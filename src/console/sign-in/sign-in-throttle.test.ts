import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from '../../../test/support/test-clock.ts'
import { SignInThrottle } from './sign-in-throttle.ts'
import { secondFactorKeys } from './throttle-keys.ts'

const key = [{ name: 'ada', free: 2, forgiving: true }]
const tooMany = { code: 'rate_limit_exceeded' }

function fail(throttle: SignInThrottle, times: number): void {
  for (let failure = 0; failure < times; failure++) throttle.begin([{ name: 'ada', free: Number.POSITIVE_INFINITY, forgiving: true }])
}

test('the first failures are free, then the delays double', async () => {
  const clock = createTestClock()
  const throttle = new SignInThrottle(clock)
  throttle.begin(key)
  throttle.begin(key)
  assert.throws(() => throttle.begin(key), { ...tooMany, retryAfterSeconds: 1 })
  await clock.advance(1000)
  throttle.begin(key)
  assert.throws(() => throttle.begin(key), { ...tooMany, retryAfterSeconds: 2 })
})

test('a delay stays the same while the time of the system is set', async () => {
  const clock = createTestClock()
  const throttle = new SignInThrottle(clock)
  fail(throttle, 2)
  for (const hours of [-1, 3]) {
    clock.jump(clock.now() + hours * 3_600_000)
    assert.throws(() => throttle.begin(key), { ...tooMany, retryAfterSeconds: 1 })
  }
  await clock.advance(1000)
  throttle.begin(key)
})

test('no delay is longer than five minutes', () => {
  const throttle = new SignInThrottle(createTestClock())
  fail(throttle, 40)
  assert.throws(() => throttle.begin(key), { ...tooMany, retryAfterSeconds: 300 })
})

test('a success or an hour without failures resets the count', async () => {
  const clock = createTestClock()
  const throttle = new SignInThrottle(clock)
  const attempt = throttle.begin(key)
  fail(throttle, 9)
  attempt.succeeded()
  throttle.begin(key).succeeded()
  fail(throttle, 9)
  await clock.advance(60 * 60 * 1000)
  throttle.begin(key)
  throttle.begin(key)
})

test('if a success does not reset the count, signing in to one account does not allow more guesses at others', () => {
  const throttle = new SignInThrottle(createTestClock())
  const place = [{ name: 'place', free: 3, forgiving: false }]
  for (let guess = 0; guess < 3; guess++) {
    throttle.begin([]).succeeded()
    throttle.begin(place)
  }
  assert.throws(() => throttle.begin(place), tooMany)
  const other = [{ name: 'other place', free: 3, forgiving: false }]
  for (let success = 0; success < 9; success++) throttle.begin(other).succeeded()
})

test('guesses of codes from many addresses are delayed together, but not those of a known browser', () => {
  const throttle = new SignInThrottle(createTestClock())
  const from = (address: string, browser: string | null = null) => secondFactorKeys('ada', { address, browser })
  for (let guess = 0; guess < 100; guess++) throttle.begin(from(`203.0.113.${guess}`))
  assert.throws(() => throttle.begin(from('198.51.100.1')), tooMany)
  throttle.begin(from('198.51.100.1', 'known'))
})

test('other users are not delayed', () => {
  const throttle = new SignInThrottle(createTestClock())
  fail(throttle, 9)
  throttle.begin([{ name: 'bob', free: 2, forgiving: true }])
})
