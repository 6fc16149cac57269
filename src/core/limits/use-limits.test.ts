import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatLimit, limitNames, noLimits, parseLimit } from './use-limits.ts'

test('limits are parsed in the usual notation, and other texts are rejected', () => {
  for (const [name, text, value] of [
    ['tokensPerDay', '1000', 1000],
    ['tokensPerDay', ' 1,000,000 ', 1_000_000],
    ['tokensPerDay', '0', 0],
    ['requestsPerMinute', '0', null],
    ['tokensPerDay', '1.5', null],
    ['tokensPerDay', '-1', null],
    ['tokensPerDay', '1e9', null],
    ['tokensPerDay', '10,00', null],
    ['tokensPerDay', '', null],
    ['tokensPerDay', '99999999999999999999', null],
    ['moneyPerDay', '2.5', 2_500_000],
    ['moneyPerDay', '1,234.000001', 1_234_000_001],
    ['moneyPerDay', '0.0000001', null],
    ['moneyPerDay', '١', null],
  ] as const)
    assert.equal(parseLimit(name, text), value, `${name} ${text}`)
})

test('a formatted limit is read back unchanged', () => {
  for (const value of [0, 1, 999_999, 1_000_000, 2_500_000, 123_456_789])
    assert.equal(parseLimit('moneyPerMonth', formatLimit('moneyPerMonth', value)), value)
  assert.equal(formatLimit('moneyPerDay', 2_500_000), '2.50')
  assert.equal(formatLimit('tokensPerDay', 2_500_000), '2500000')
  assert.deepEqual(limitNames, Object.keys(noLimits))
})
