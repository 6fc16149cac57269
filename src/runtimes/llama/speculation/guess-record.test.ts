import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GuessRecord } from './guess-record.ts'

test('counts on what is expected until it has seen guesses', () => {
  const record = new GuessRecord({ rate: 0.7 }, 0.95)
  assert.equal(record.rate, 0.7)
  record.note(4, 4)
  assert.ok(record.rate > 0.85)
  record.note(4, 0)
  record.note(4, 0)
  assert.ok(record.rate < 0.7)
})

test('forgets, batch by batch', () => {
  const record = new GuessRecord({ rate: 0.7 }, 0.5)
  record.note(4, 0)
  for (let batch = 0; batch < 20; batch++) record.note(0, 0)
  assert.ok(Math.abs(record.rate - 0.7) < 0.001)
})

test('a text begins with what the whole has learned, and teaches it', () => {
  const whole = new GuessRecord({ rate: 0.7 }, 0.995)
  for (let batch = 0; batch < 50; batch++) new GuessRecord(whole, 0.95, whole).note(4, 0)
  assert.ok(new GuessRecord(whole, 0.95, whole).rate < 0.1)
})
