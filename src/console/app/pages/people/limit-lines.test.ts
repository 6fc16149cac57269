import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noLimits } from '../../../../core/account.ts'
import { limitLines } from './limit-lines.ts'

test('limits read as one line each, and none where there is none', () => {
  assert.deepEqual(limitLines(noLimits), [])
  assert.deepEqual(limitLines({ requestsPerMinute: 1, tokensPerDay: 20_000, imagesPerDay: 0, tokensPerMonth: null, imagesPerMonth: 7 }), [
    '1 request/min',
    '20,000 tokens/day',
    '0 images/day',
    '7 images/month',
  ])
})
