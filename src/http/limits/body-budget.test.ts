import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BodyBudget } from './body-budget.ts'

test('bytes that arrive after the answer are not counted, since nothing would release them', () => {
  const budget = new BodyBudget({ totalBytes: 100, shareBytes: 100 })
  const gone = budget.open('account', 0)
  gone.take(40)
  gone[Symbol.dispose]()
  gone.take(60)
  assert.doesNotThrow(() => budget.check('account', 100), 'the share')
  assert.doesNotThrow(() => budget.open('another account', 0).take(100), 'the total')
})
