import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GrammarAllowance } from './grammar-allowance.ts'

test('an account over its allowance is rejected until enough has recovered; others are not', () => {
  let now = 0
  const allowance = new GrammarAllowance(() => now)
  allowance.charge('a', 2_000_000)
  assert.doesNotThrow(() => allowance.require('a', 'grammar'))
  allowance.charge('a', 400_000)
  assert.throws(() => allowance.require('a', 'grammar'), { code: 'rate_limit_exceeded', param: 'grammar', retryAfterSeconds: 1 })
  assert.doesNotThrow(() => allowance.require('b', 'grammar'))
  now += 999
  assert.throws(() => allowance.require('a', 'grammar'), { code: 'rate_limit_exceeded' })
  now += 1
  assert.doesNotThrow(() => allowance.require('a', 'grammar'))
})
