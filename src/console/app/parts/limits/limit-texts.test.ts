import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noUseLimits } from '../../../../core/limits/use-limits.ts'
import { showMoneyIn } from '../../language/formats.ts'
import { limitLines } from './limit-texts.ts'

test('each limit is shown on one line, and there is none without limits', () => {
  assert.deepEqual(limitLines(noUseLimits), [])
  const limits = {
    requestsPerMinute: 1,
    concurrentRequests: 3,
    tokensPerDay: 20_000,
    imagesPerDay: 0,
    imagesPerMonth: 7,
    moneyPerMonth: 2_500_000,
  }
  assert.deepEqual(limitLines({ ...noUseLimits, ...limits }), [
    '1 request/min',
    '3 requests at once',
    '20,000 tokens/day',
    '0 images/day',
    '7 images/month',
    '2.50 money/month',
  ])
})

test('limits of money name the currency if there is one', () => {
  try {
    showMoneyIn('EUR')
    assert.deepEqual(limitLines({ ...noUseLimits, moneyPerDay: 2_500_000 }), ['€2.50/day'])
  } finally {
    showMoneyIn(null)
  }
})
