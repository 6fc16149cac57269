import assert from 'node:assert/strict'
import { test } from 'node:test'
import { numberFault, readNumber } from './read-number.ts'

test('a typed number is never read as a different number', () => {
  const typed = ['-1', '1.5', '20,000', '1,000,000', '2,5', 'ten', ' 7 ', '']
  assert.deepEqual(typed.map(readNumber), [-1, 1.5, 20_000, 1_000_000, Number.NaN, Number.NaN, 7, Number.NaN])
})

test('a number outside its range is rejected with the range', () => {
  const range = { least: 1, most: 2000, whole: true }
  assert.equal(numberFault(2000, range), null)
  for (const value of [0, 2001, 1.5, Number.NaN]) assert.equal(numberFault(value, range), 'A whole number from 1 to 2,000.')
  assert.equal(numberFault(0.05, { least: 0.1, most: 1, whole: false }), 'A number from 0.1 to 1.')
})
