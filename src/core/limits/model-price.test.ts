import assert from 'node:assert/strict'
import { test } from 'node:test'
import { affordableTokens, costOf, formatMoney, parseMoney } from './model-price.ts'

const price = { promptTokens: 150_000, completionTokens: 600_000, image: 40_000 }

test('a request costs what its tokens and images cost, rounded up to a millionth', () => {
  assert.equal(costOf(null, { promptTokens: 10, completionTokens: 10, images: 1 }), 0)
  assert.equal(costOf(price, { promptTokens: 1_000_000, completionTokens: 0, images: 0 }), 150_000)
  assert.equal(costOf(price, { promptTokens: 1, completionTokens: 0, images: 0 }), 1)
  assert.equal(costOf(price, { promptTokens: 100, completionTokens: 10, images: 2 }), 15 + 6 + 80_000)
})

test('the affordable tokens cost no more than the remaining money', () => {
  for (const money of [0, 1, 5, 14, 15, 16, 21, 1000]) {
    const tokens = affordableTokens(price, { promptTokens: 100, money })
    if (tokens < 0) assert.ok(costOf(price, { promptTokens: 100, completionTokens: 0, images: 0 }) > money, `${money}`)
    else {
      assert.ok(costOf(price, { promptTokens: 100, completionTokens: tokens, images: 0 }) <= money, `${money}`)
      assert.ok(costOf(price, { promptTokens: 100, completionTokens: tokens + 2, images: 0 }) > money, `${money}`)
    }
  }
  assert.equal(affordableTokens({ ...price, completionTokens: 0 }, { promptTokens: 1, money: 1 }), Number.POSITIVE_INFINITY)
})

test('money is formatted with two to six decimals and parsed back', () => {
  assert.deepEqual([0, 1, 100_000, 1_000_000, 1_234_560_000].map(formatMoney), ['0.00', '0.000001', '0.10', '1.00', '1234.56'])
  assert.deepEqual(['1', '1.5', '0.000001', '', '.5', '1.', '-1', '1e3', '1.0000001'].map(parseMoney), [
    1_000_000,
    1_500_000,
    1,
    null,
    null,
    null,
    null,
    null,
    null,
  ])
})
