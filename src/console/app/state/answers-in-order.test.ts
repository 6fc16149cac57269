import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answersInOrder } from './answers-in-order.ts'

test('an answer is new until one comes that was asked for later', () => {
  const ask = answersInOrder()
  const [first, second, third] = [ask(), ask(), ask()]
  assert.equal(second(), true)
  assert.equal(first(), false)
  assert.equal(third(), true)
  assert.equal(second(), false)
})
