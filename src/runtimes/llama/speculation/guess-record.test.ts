import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GuessRecord } from './guess-record.ts'

test('starts with the expected rate and adapts to observed guesses', () => {
  const record = new GuessRecord({ rate: 0.7 }, 0.95)
  assert.equal(record.rate, 0.7)
  record.note(4, 4)
  assert.ok(record.rate > 0.85)
  record.note(4, 0)
  record.note(4, 0)
  assert.ok(record.rate < 0.7)
})

test('returns to the expected rate batch by batch', () => {
  const record = new GuessRecord({ rate: 0.7 }, 0.5)
  record.note(4, 0)
  for (let batch = 0; batch < 20; batch++) record.note(0, 0)
  assert.ok(Math.abs(record.rate - 0.7) < 0.001)
})

test('a text starts with the rate of the shared record, and updates it', () => {
  const whole = new GuessRecord({ rate: 0.7 }, 0.995)
  for (let batch = 0; batch < 50; batch++) new GuessRecord(whole, 0.95, whole).note(4, 0)
  assert.ok(new GuessRecord(whole, 0.95, whole).rate < 0.1)
})
