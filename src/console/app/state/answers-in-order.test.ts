import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answersInOrder } from './answers-in-order.ts'

test('an answer is outdated once the answer to a later request has arrived', () => {
  const ask = answersInOrder()
  const [first, second, third] = [ask(), ask(), ask()]
  assert.equal(second(), true)
  assert.equal(first(), false)
  assert.equal(third(), true)
  assert.equal(second(), false)
})
