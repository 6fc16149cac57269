import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Budget, decideBudget, hasBudgets, leftOf, listBudgets, nextReset } from './budget.ts'
import { noLimits } from './use-limits.ts'

const tokens: Budget = { of: 'account', unit: 'tokens', per: 'day', limit: 100, used: 60, reserved: 20 }
const images: Budget = { of: 'account', unit: 'images', per: 'day', limit: 5, used: 1, reserved: 2 }

describe('the rest of a budget', () => {
  for (const [used, reserved, left] of [
    [0, 0, 100],
    [60, 20, 20],
    [100, 0, 0],
    [100, 50, 0],
    [0, 101, 0],
  ] as const)
    it(`is ${left} of 100 after ${used} used and ${reserved} reserved`, () => assert.equal(leftOf({ ...tokens, used, reserved }), left))
})

describe('a reservation', () => {
  const text = (least: number, most: number) => ({ running: true, tokens: { least, most }, promptTokens: 0, images: 0, price: null })
  const drawing = (count: number) => ({ ...text(0, 0), images: count })

  for (const [what, budgets, wanted, granted] of [
    ['a reservation that fits', [tokens], text(20, 20), 20],
    ['what is left, when that is at least the minimum', [tokens], text(5, 50), 20],
    ['exactly the minimum', [tokens], text(20, 50), 20],
    ['anything if there is no budget', [], text(10 ** 9, 10 ** 9), 10 ** 9],
    ['text, whatever is left for images', [{ ...images, used: 5 }], text(1, 1), 1],
    ['images, whatever is left for tokens', [{ ...tokens, used: 100 }], drawing(2), 0],
    ['the last image', [images], drawing(2), 0],
  ] as const)
    it(`grants ${what}`, () => assert.deepEqual(decideBudget(budgets, wanted), { granted: true, tokens: granted, cost: 0 }))

  for (const [what, budgets, wanted, budget] of [
    ['one token too many', [tokens], text(21, 50), tokens],
    ['one image too many', [images], drawing(3), images],
    ['images when only tokens are left', [tokens, images], drawing(4), images],
  ] as const)
    it(`rejects ${what}, and names the budget`, () => assert.deepEqual(decideBudget(budgets, wanted), { granted: false, budget }))
})

describe('a reservation of money', () => {
  const money: Budget = { of: 'token', unit: 'money', per: 'month', limit: 1000, used: 0, reserved: 0 }
  const price = { promptTokens: 1_000_000, completionTokens: 2_000_000, image: 400 }
  const text = { running: true, tokens: { least: 110, most: 10_000 }, promptTokens: 100, images: 0, price }

  it('shortens a text to what the budget allows after its prompt', () =>
    assert.deepEqual(decideBudget([money], text), { granted: true, tokens: 100 + 450, cost: 1000 }))
  it('is rejected when the minimum costs more than is left', () =>
    assert.deepEqual(decideBudget([{ ...money, used: 881 }], text), { granted: false, budget: { ...money, used: 881 } }))
  it('costs nothing if the model has no price', () =>
    assert.deepEqual(decideBudget([{ ...money, used: 1000 }], { ...text, price: null }), { granted: true, tokens: 10_000, cost: 0 }))
  it('counts images', () => {
    const drawing = { ...text, tokens: { least: 0, most: 0 }, promptTokens: 0, images: 3 }
    assert.deepEqual(decideBudget([money], drawing), { granted: false, budget: money })
    assert.deepEqual(decideBudget([money], { ...drawing, images: 2 }), { granted: true, tokens: 0, cost: 800 })
  })
})

describe('a reservation from a minute budget and a concurrent budget', () => {
  const minute: Budget = { of: 'account', unit: 'tokens', per: 'minute', limit: 100, used: 60, reserved: 0 }
  const moment: Budget = { of: 'account', unit: 'requests', per: 'moment', limit: 2, used: 0, reserved: 2 }
  const text = (least: number, most: number) => ({ running: true, tokens: { least, most }, promptTokens: 0, images: 0, price: null })

  it('is not shortened by what a minute has left, only by its whole budget', () => {
    assert.deepEqual(decideBudget([minute], text(1, 50)), { granted: false, budget: minute })
    assert.deepEqual(decideBudget([minute], text(1, 40)), { granted: true, tokens: 40, cost: 0 })
    assert.deepEqual(decideBudget([{ ...minute, used: 0 }], text(1, 500)), { granted: true, tokens: 100, cost: 0 })
  })
  it('is rejected for running work and not for waiting work', () => {
    for (const budget of [minute, moment]) {
      assert.deepEqual(decideBudget([budget], text(50, 50)), { granted: false, budget })
      assert.deepEqual(decideBudget([budget], { ...text(50, 50), running: false }), { granted: true, tokens: 50, cost: 0 })
    }
    assert.ok(decideBudget([{ ...moment, reserved: 1 }], text(50, 50)).granted)
  })
})

describe('the budgets of an account', () => {
  it('are those with a limit, including a limit of zero', () => {
    const sums = (tokens: number) => ({ tokens, images: tokens + 1, money: tokens + 2 })
    const used = { minute: sums(10), day: sums(20), month: sums(30) }
    const reserved = { ...sums(40), running: { requests: 50, tokens: 51, images: 52 } }
    assert.deepEqual(listBudgets('token', { ...noLimits, requestsPerMinute: 1 }, { used, reserved }), [])
    assert.ok(!hasBudgets({ ...noLimits, requestsPerMinute: 1 }))
    const all = Object.fromEntries(Object.keys(noLimits).map((name) => [name, 0]))
    assert.deepEqual(
      listBudgets('token', { ...noLimits, ...all }, { used, reserved }).map(({ unit, per, used, reserved }) => [unit, per, used, reserved]),
      [
        ['requests', 'moment', 0, 50],
        ['tokens', 'minute', 10, 51],
        ['images', 'minute', 11, 52],
        ['tokens', 'day', 20, 40],
        ['images', 'day', 21, 41],
        ['money', 'day', 22, 42],
        ['tokens', 'month', 30, 40],
        ['images', 'month', 31, 41],
        ['money', 'month', 32, 42],
      ],
    )
  })

  it('for a minute reset with the next minute', () => {
    assert.equal(nextReset('minute', Date.UTC(2026, 10, 1, 0, 0, 59, 999)), Date.UTC(2026, 10, 1, 0, 1))
    assert.equal(nextReset('minute', Date.UTC(2026, 10, 1, 0, 1)), Date.UTC(2026, 10, 1, 0, 2))
  })

  it('reset at the next UTC midnight, which at midnight is a day later', () => {
    const midnight = Date.UTC(2026, 10, 22)
    assert.equal(nextReset('day', midnight - 1), midnight)
    assert.equal(nextReset('day', midnight), Date.UTC(2026, 10, 23))
    assert.equal(nextReset('day', Date.UTC(2026, 11, 31, 23, 59)), Date.UTC(2027, 0, 1))
  })

  it('for a month reset with the next month', () => {
    assert.equal(nextReset('month', Date.UTC(2026, 10, 1)), Date.UTC(2026, 11, 1))
    assert.equal(nextReset('month', Date.UTC(2026, 11, 31, 23, 59)), Date.UTC(2027, 0, 1))
    assert.equal(nextReset('month', Date.UTC(2028, 1, 29)), Date.UTC(2028, 2, 1))
  })
})
