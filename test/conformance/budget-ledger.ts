import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AccountLimits, noLimits } from '../../src/core/account.ts'
import type { BudgetAnswer, WantedBudget } from '../../src/core/budget.ts'
import type { Store } from '../../src/core/ports/store.ts'
import type { UsageEntry } from '../../src/core/usage.ts'
import { makeSubmission } from '../support/submission.ts'
import { createTestClock, type TestClock } from '../support/test-clock.ts'
import { claimNext, succeed } from './claiming.ts'
import { options, roomy, type StoreFactory } from './store-factory.ts'

const dayMs = 24 * 60 * 60 * 1000

function entry(clock: TestClock, tokens: number, images = 0): UsageEntry {
  const work = { accountId: 'a', tokenId: null, model: 'm', kind: 'chat', outcome: 'succeeded' } as const
  return { ...work, promptTokens: tokens - 1, completionTokens: 1, images, durationMs: 1, at: clock.now() }
}

function tokens(id: string, least: number, most = least): WantedBudget {
  return { id, accountId: 'a', tokens: { least, most }, images: 0 }
}

function isGranted(answer: BudgetAnswer): boolean {
  return answer.granted
}

/** Reserving from budgets and settling by what was used. */
export function testBudgetLedger(name: string, open: StoreFactory): void {
  const start = async (limits: Partial<AccountLimits>): Promise<{ store: Store; clock: TestClock }> => {
    const clock = createTestClock()
    const store = await open({ clock, limits: roomy })
    const account = { name: 'Ada', email: null, role: 'member', createdAt: 1, disabledAt: null } as const
    await store.accounts.create({ ...account, id: 'a', limits: { ...noLimits, ...limits } }, options)
    await store.accounts.create({ ...account, id: 'b', limits: noLimits }, options)
    return { store, clock }
  }

  test(`${name} budgets: a budget of 100 tokens is never overspent by one, however many start at once`, async () => {
    const { store, clock } = await start({ tokensPerDay: 100 })
    await using _store = store
    let spent = 0
    const work = async (index: number): Promise<void> => {
      const most = 1 + (index % 9)
      const answer = await store.ledger.reserve(tokens(`r${index}`, most), options)
      if (!answer.granted) return
      const used = Math.max(1, most - (index % 3))
      spent += used
      await store.usage.append(entry(clock, used), { ...options, settles: `r${index}` })
    }
    await Promise.all(Array.from({ length: 50 }, (_, index) => work(index)))
    for (let index = 50; index < 200; index++) await work(index)
    const [budget] = await store.ledger.budgets('a', options)
    assert.deepEqual(budget, { unit: 'tokens', per: 'day', limit: 100, used: 100, reserved: 0 })
    assert.equal(spent, 100)
  })

  test(`${name} budgets: what runs counts with the most it can use, what ended with what it used`, async () => {
    const { store, clock } = await start({ tokensPerDay: 100 })
    await using _store = store
    assert.deepEqual(await store.ledger.reserve(tokens('one', 60), options), { granted: true, tokens: 60 })
    const full = { unit: 'tokens', per: 'day', limit: 100, used: 0, reserved: 60 } as const
    assert.deepEqual(await store.ledger.reserve(tokens('two', 41), options), { granted: false, budget: full })
    assert.deepEqual(await store.ledger.reserve(tokens('two', 1, 512), options), { granted: true, tokens: 40 })
    assert.deepEqual(await store.ledger.reserve(tokens('two', 30), options), { granted: true, tokens: 30 })
    await store.usage.append(entry(clock, 10), { ...options, settles: 'one' })
    assert.deepEqual(await store.ledger.budgets('a', options), [{ ...full, used: 10, reserved: 30 }])
    await store.ledger.release('two', options)
    await store.ledger.release('two', options)
    assert.deepEqual(await store.ledger.budgets('a', options), [{ ...full, used: 10, reserved: 0 }])
    assert.ok(isGranted(await store.ledger.reserve({ ...tokens('three', 1_000_000), accountId: 'b' }, options)))
    assert.deepEqual(await store.ledger.budgets('b', options), [])
  })

  test(`${name} budgets: a day's budget comes back at midnight, without what still runs`, async () => {
    const { store, clock } = await start({ tokensPerDay: 100 })
    await using _store = store
    await store.usage.append(entry(clock, 50), options)
    await store.ledger.reserve(tokens('long', 50), options)
    assert.ok(!isGranted(await store.ledger.reserve(tokens('next', 1), options)))
    await clock.advance(dayMs)
    assert.deepEqual(await store.ledger.reserve(tokens('next', 1, 100), options), { granted: true, tokens: 50 })
  })

  test(`${name} budgets: a month's budget counts its days together, beside theirs, and comes back with the next month`, async () => {
    const { store, clock } = await start({ tokensPerDay: 60, tokensPerMonth: 100 })
    await using _store = store
    await store.usage.append(entry(clock, 50), options)
    await store.usage.rollUp(options)
    await clock.advance(dayMs)
    assert.deepEqual(await store.ledger.budgets('a', options), [
      { unit: 'tokens', per: 'day', limit: 60, used: 0, reserved: 0 },
      { unit: 'tokens', per: 'month', limit: 100, used: 50, reserved: 0 },
    ])
    const month = { unit: 'tokens', per: 'month', limit: 100, used: 50, reserved: 0 } as const
    assert.deepEqual(await store.ledger.reserve(tokens('much', 51), options), { granted: false, budget: month })
    assert.deepEqual(await store.ledger.reserve(tokens('rest', 1, 60), options), { granted: true, tokens: 50 })
    await store.usage.append(entry(clock, 50), { ...options, settles: 'rest' })
    assert.ok(!isGranted(await store.ledger.reserve(tokens('one', 1), options)))
    await clock.advance(31 * dayMs)
    assert.deepEqual(await store.ledger.reserve(tokens('next', 1, 100), options), { granted: true, tokens: 60 })
  })

  test(`${name} budgets: pictures of work that waits count, until it ends however it ends`, async () => {
    const { store, clock } = await start({ imagesPerDay: 3 })
    await using _store = store
    const submit = async () => {
      const id = crypto.randomUUID()
      const answer = await store.ledger.reserve({ id, accountId: 'a', tokens: { least: 0, most: 0 }, images: 1 }, options)
      return answer.granted ? (await store.queue.enqueue(makeSubmission({ id }), options)).inference : null
    }
    const made = await Promise.all(Array.from({ length: 5 }, submit))
    const taken = made.filter((inference) => inference !== null)
    assert.equal(taken.length, 3)
    await store.queue.cancel({ id: taken[0]?.id ?? '', accountId: 'a' }, options)
    assert.equal((await store.ledger.budgets('a', options))[0]?.reserved, 2)
    await succeed(store.queue, await claimNext(store.queue))
    await store.usage.append(entry(clock, 1, 1), options)
    assert.deepEqual((await store.ledger.budgets('a', options))[0], { unit: 'images', per: 'day', limit: 3, used: 1, reserved: 1 })
    await store.accounts.change('a', { by: null, disabledAt: clock.now() }, options)
    const running = (await store.ledger.budgets('a', options))[0]?.reserved
    assert.equal(running, 0)
  })
}
