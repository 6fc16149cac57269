import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { noLimits } from './account.ts'
import { type Budget, decideBudget, leftOf, listBudgets, nextReset } from './budget.ts'

const tokens: Budget = { unit: 'tokens', per: 'day', limit: 100, used: 60, reserved: 20 }
const images: Budget = { unit: 'images', per: 'day', limit: 5, used: 1, reserved: 2 }

describe('what is left of a budget', () => {
  for (const [used, reserved, left] of [
    [0, 0, 100],
    [60, 20, 20],
    [100, 0, 0],
    [100, 50, 0],
    [0, 101, 0],
  ] as const)
    it(`is ${left} of 100 after ${used} used and ${reserved} set aside`, () => assert.equal(leftOf({ ...tokens, used, reserved }), left))
})

describe('a reservation', () => {
  const text = (least: number, most: number) => ({ tokens: { least, most }, images: 0 })
  const drawing = (count: number) => ({ tokens: { least: 0, most: 0 }, images: count })

  for (const [what, budgets, wanted, granted] of [
    ['what fits', [tokens], text(20, 20), 20],
    ['what is left, when it can do with that', [tokens], text(5, 50), 20],
    ['exactly the least', [tokens], text(20, 50), 20],
    ['anything, where there is no budget', [], text(10 ** 9, 10 ** 9), 10 ** 9],
    ['text, whatever is left of the images', [{ ...images, used: 5 }], text(1, 1), 1],
    ['images, whatever is left of the tokens', [{ ...tokens, used: 100 }], drawing(2), 0],
    ['images to the last', [images], drawing(2), 0],
  ] as const)
    it(`grants ${what}`, () => assert.deepEqual(decideBudget(budgets, wanted), { granted: true, tokens: granted }))

  for (const [what, budgets, wanted, budget] of [
    ['one token too many', [tokens], text(21, 50), tokens],
    ['one image too many', [images], drawing(3), images],
    ['images when only tokens are left', [tokens, images], drawing(4), images],
  ] as const)
    it(`refuses ${what}, and names the budget`, () => assert.deepEqual(decideBudget(budgets, wanted), { granted: false, budget }))
})

describe('the budgets of an account', () => {
  const sums = { tokens: 3, images: 4 }

  it('are those that are limited, a limit of nothing too', () => {
    const used = { day: sums, month: { tokens: 30, images: 40 } }
    assert.deepEqual(listBudgets(noLimits, used, sums), [])
    const limits = { tokensPerDay: 0, imagesPerDay: 9, tokensPerMonth: 50, imagesPerMonth: 0 }
    assert.deepEqual(
      listBudgets(limits, used, { tokens: 1, images: 2 }).map(({ unit, per, limit, used, reserved }) => [unit, per, limit, used, reserved]),
      [
        ['tokens', 'day', 0, 3, 1],
        ['images', 'day', 9, 4, 2],
        ['tokens', 'month', 50, 30, 1],
        ['images', 'month', 0, 40, 2],
      ],
    )
  })

  it('begin anew at the next UTC midnight, which midnight itself is not', () => {
    const midnight = Date.UTC(2026, 10, 22)
    assert.equal(nextReset('day', midnight - 1), midnight)
    assert.equal(nextReset('day', midnight), Date.UTC(2026, 10, 23))
    assert.equal(nextReset('day', Date.UTC(2026, 11, 31, 23, 59)), Date.UTC(2027, 0, 1))
  })

  it('of a month begin anew with the next one', () => {
    assert.equal(nextReset('month', Date.UTC(2026, 10, 1)), Date.UTC(2026, 11, 1))
    assert.equal(nextReset('month', Date.UTC(2026, 11, 31, 23, 59)), Date.UTC(2027, 0, 1))
    assert.equal(nextReset('month', Date.UTC(2028, 1, 29)), Date.UTC(2028, 2, 1))
  })
})
