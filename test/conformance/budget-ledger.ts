import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeInferenceId } from '../../src/core/deferred/inference-id.ts'
import { ServiceError } from '../../src/core/error.ts'
import { type Budget, type BudgetWish, neededOf } from '../../src/core/limits/budget.ts'
import { budgetExceeded } from '../../src/core/limits/budget-exceeded.ts'
import { noLimits, noUseLimits, type UseLimits } from '../../src/core/limits/use-limits.ts'
import { abandonedMs } from '../../src/core/ports/budget-ledger.ts'
import type { Store } from '../../src/core/ports/store.ts'
import type { UsageEntry } from '../../src/core/usage.ts'
import { makeUsageEntry } from '../support/memory/usage-entry.ts'
import { insist } from '../support/postgres/insist.ts'
import { makeSubmission } from '../support/submission.ts'
import { createTestClock, type TestClock } from '../support/test-clock.ts'
import { claimNext, succeed } from './claiming.ts'
import { options, roomy, type StoreFactory } from './store-factory.ts'

const ada = { accountId: 'a', tokenId: null }
const dayMs = 24 * 60 * 60 * 1000

function entry(clock: TestClock, tokens: number, images = 0): UsageEntry {
  return makeUsageEntry({ promptTokens: tokens - 1, images, at: clock.now() })
}

function tokens(id: string, least: number, most = least): BudgetWish {
  return {
    id,
    accountId: 'a',
    tokenId: null,
    running: true,
    unit: 'tokens',
    tokens: { least, most },
    promptTokens: 0,
    images: 0,
    price: null,
  }
}

const token = {
  accountId: 'a',
  name: 'n',
  hint: 'h',
  scopes: [],
  createdAt: 1,
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
} as const

/** Whether a ledger grants a reservation. Fifty at once wait for each other, on a busy machine for longer than a call may take. */
async function grants({ ledger }: Store, wish: BudgetWish): Promise<boolean> {
  try {
    await insist(() => ledger.reserve(wish, options))
    return true
  } catch (error) {
    if (error instanceof ServiceError && /_exceeded$/.test(error.code)) return false
    throw error
  }
}

/** Expects that a ledger refuses a wish for a budget. */
async function refuses({ ledger }: Store, clock: TestClock, wish: BudgetWish, budget: Budget): Promise<void> {
  const { code, message } = budgetExceeded(budget, clock.now(), neededOf(budget, wish))
  await assert.rejects(ledger.reserve(wish, options), { code, message })
}

/** Reserving from budgets and settling by what was used. */
export function testBudgetLedger(name: string, open: StoreFactory): void {
  const start = async (limits: Partial<UseLimits>): Promise<{ store: Store; clock: TestClock }> => {
    const clock = createTestClock()
    const store = await open({ clock, limits: roomy })
    const account = { name: 'Ada', email: null, role: 'member', createdAt: 1, disabledAt: null } as const
    await store.accounts.create({ ...account, id: 'a', limits: { ...noLimits, ...limits } }, options)
    await store.accounts.create({ ...account, id: 'b', limits: noLimits }, options)
    return { store, clock }
  }

  test(`${name} budgets: 50 concurrent reservations never overspend a budget of 100 tokens`, async () => {
    const { store, clock } = await start({ tokensPerDay: 100 })
    await using _store = store
    let spent = 0
    const work = async (index: number): Promise<void> => {
      const most = 1 + (index % 9)
      if (!(await grants(store, tokens(`r${index}`, most)))) return
      const used = Math.max(1, most - (index % 3))
      spent += used
      await insist(() => store.usage.append(entry(clock, used), { ...options, id: `r${index}` }))
    }
    await Promise.all(Array.from({ length: 50 }, (_, index) => work(index)))
    for (let index = 50; index < 200; index++) await work(index)
    const [budget] = await store.ledger.budgets(ada, options)
    assert.deepEqual(budget, { of: 'account', unit: 'tokens', per: 'day', limit: 100, used: 100, reserved: 0 })
    assert.equal(spent, 100)
  })

  test(`${name} budgets: running work counts with its maximum, completed work with its usage`, async () => {
    const { store, clock } = await start({ tokensPerDay: 100 })
    await using _store = store
    assert.deepEqual(await store.ledger.reserve(tokens('one', 60), options), { isLimited: true, tokens: 60 })
    const full = { of: 'account', unit: 'tokens', per: 'day', limit: 100, used: 0, reserved: 60 } as const
    await refuses(store, clock, tokens('two', 41), full)
    assert.deepEqual(await store.ledger.reserve(tokens('two', 1, 512), options), { isLimited: true, tokens: 40 })
    assert.deepEqual(await store.ledger.reserve(tokens('two', 30), options), { isLimited: true, tokens: 30 })
    await store.usage.append(entry(clock, 10), { ...options, id: 'one' })
    assert.deepEqual(await store.ledger.budgets(ada, options), [{ ...full, used: 10, reserved: 30 }])
    await store.ledger.release('two', options)
    await store.ledger.release('two', options)
    assert.deepEqual(await store.ledger.budgets(ada, options), [{ ...full, used: 10, reserved: 0 }])
    assert.ok(await grants(store, { ...tokens('three', 1_000_000), accountId: 'b' }))
    assert.deepEqual(await store.ledger.budgets({ ...ada, accountId: 'b' }, options), [])
  })

  test(`${name} budgets: a daily budget resets at midnight, except for work that is still running`, async () => {
    const { store, clock } = await start({ tokensPerDay: 100 })
    await using _store = store
    await store.usage.append(entry(clock, 50), options)
    await store.ledger.reserve(tokens('long', 50), options)
    assert.ok(!(await grants(store, tokens('next', 1))))
    await clock.advance(dayMs)
    assert.deepEqual(await store.ledger.reserve(tokens('next', 1, 100), options), { isLimited: true, tokens: 50 })
  })

  test(`${name} budgets: a monthly budget sums its days, applies beside the daily budget, and resets with the next month`, async () => {
    const { store, clock } = await start({ tokensPerDay: 60, tokensPerMonth: 100 })
    await using _store = store
    await store.usage.append(entry(clock, 50), options)
    await clock.advance(dayMs)
    await store.usage.rollUp(options)
    assert.deepEqual(await store.ledger.budgets(ada, options), [
      { of: 'account', unit: 'tokens', per: 'day', limit: 60, used: 0, reserved: 0 },
      { of: 'account', unit: 'tokens', per: 'month', limit: 100, used: 50, reserved: 0 },
    ])
    const month = { of: 'account', unit: 'tokens', per: 'month', limit: 100, used: 50, reserved: 0 } as const
    await refuses(store, clock, tokens('much', 51), month)
    assert.deepEqual(await store.ledger.reserve(tokens('rest', 1, 60), options), { isLimited: true, tokens: 50 })
    await store.usage.append(entry(clock, 50), { ...options, id: 'rest' })
    assert.ok(!(await grants(store, tokens('one', 1))))
    await clock.advance(31 * dayMs)
    assert.deepEqual(await store.ledger.reserve(tokens('next', 1, 100), options), { isLimited: true, tokens: 60 })
  })

  test(`${name} budgets: pictures of pending work count until the work ends in any way`, async () => {
    const { store, clock } = await start({ imagesPerDay: 3 })
    await using _store = store
    const submit = async () => {
      const id = crypto.randomUUID()
      const isGranted = await grants(store, { ...tokens(id, 0), unit: 'images', running: false, images: 1 })
      return isGranted ? (await store.queue.enqueue(makeSubmission({ id }), options)).inference : null
    }
    const made = await Promise.all(Array.from({ length: 5 }, submit))
    const taken = made.filter((inference) => inference !== null)
    assert.equal(taken.length, 3)
    await store.queue.cancel({ id: taken[0]?.id ?? '', accountId: 'a' }, options)
    assert.equal((await store.ledger.budgets(ada, options))[0]?.reserved, 2)
    await succeed(store.queue, await claimNext(store.queue))
    await store.usage.append(entry(clock, 1, 1), options)
    assert.deepEqual((await store.ledger.budgets(ada, options))[0], {
      of: 'account',
      unit: 'images',
      per: 'day',
      limit: 3,
      used: 1,
      reserved: 1,
    })
    await store.accounts.change('a', { by: null, disabledAt: clock.now() }, options)
    const running = (await store.ledger.budgets(ada, options))[0]?.reserved
    assert.equal(running, 0)
  })

  test(`${name} budgets: a reservation whose submission and release both failed ends after ten minutes`, async () => {
    const { store, clock } = await start({ imagesPerDay: 9 })
    await using _store = store
    const reserve = async (running: boolean): Promise<string> => {
      const id = makeInferenceId({ uuid: crypto.randomUUID(), accountId: 'a', now: clock.now() })
      await store.ledger.reserve({ ...tokens(id, 0), unit: 'images', running, images: 1 }, options)
      return id
    }
    const reserved = async () => {
      await store.queue.expire(options)
      return (await store.ledger.budgets(ada, options))[0]?.reserved
    }
    await reserve(false)
    await store.queue.enqueue(makeSubmission({ id: await reserve(false) }), options)
    await reserve(true)
    await clock.advance(abandonedMs)
    assert.equal(await reserved(), 3)
    await clock.advance(1)
    assert.equal(await reserved(), 2)
    await reserve(false)
    assert.equal(await reserved(), 3)
  })

  test(`${name} budgets: a token has its own budget within that of its account, also for concurrent requests`, async () => {
    const { store, clock } = await start({ tokensPerDay: 150 })
    await using _store = store
    const one = { accountId: 'a', tokenId: 'one' }
    for (const id of ['one', 'two'])
      await store.tokens.create({ ...token, id, hash: id, limits: { ...noUseLimits, tokensPerDay: 100, tokensPerMonth: 120 } }, options)
    let spent = 0
    const work = async (index: number, tokenId: string | null): Promise<void> => {
      const most = 1 + (index % 9)
      if (!(await grants(store, { ...tokens(`${tokenId}${index}`, most), tokenId }))) return
      spent += most
      await insist(() => store.usage.append({ ...entry(clock, most), tokenId }, { ...options, id: `${tokenId}${index}` }))
    }
    await Promise.all(Array.from({ length: 50 }, (_, index) => work(index, 'one')))
    for (let index = 50; index < 60; index++) await work(index, 'one')
    assert.equal(spent, 100)
    await clock.advance(60_000)
    await store.usage.rollUp(options)
    assert.deepEqual(await store.ledger.budgets(one, options), [
      { of: 'account', unit: 'tokens', per: 'day', limit: 150, used: 100, reserved: 0 },
      { of: 'token', unit: 'tokens', per: 'day', limit: 100, used: 100, reserved: 0 },
      { of: 'token', unit: 'tokens', per: 'month', limit: 120, used: 100, reserved: 0 },
    ])
    await Promise.all(Array.from({ length: 50 }, (_, index) => work(index, index % 2 === 0 ? 'two' : null)))
    for (let index = 50; index < 60; index++) await work(index, null)
    assert.equal(spent, 150)
    await clock.advance(dayMs)
    const month = { of: 'token', unit: 'tokens', per: 'month', limit: 120, used: 100, reserved: 0 } as const
    await refuses(store, clock, { ...tokens('late', 21), tokenId: 'one' }, month)
  })

  test(`${name} budgets: a minute counts running work and work that ended in it, not pending work, and resets with the next minute`, async () => {
    const { store, clock } = await start({ tokensPerMinute: 100 })
    await using _store = store
    assert.ok(await grants(store, { ...tokens('waits', 1000), running: false }))
    await store.usage.append(entry(clock, 50), options)
    assert.ok(await grants(store, tokens('runs', 30)))
    const budget = { of: 'account', unit: 'tokens', per: 'minute', limit: 100, used: 50, reserved: 30 } as const
    await refuses(store, clock, tokens('more', 21), budget)
    await store.usage.rollUp(options)
    assert.deepEqual(await store.ledger.budgets(ada, options), [budget])
    await clock.advance(60_000)
    await store.usage.rollUp(options)
    assert.deepEqual(await store.ledger.budgets(ada, options), [{ ...budget, used: 0 }])
    await refuses(store, clock, tokens('waits', 71), { ...budget, used: 0 })
    assert.ok(await grants(store, tokens('waits', 70)))
  })

  test(`${name} budgets: a limit of concurrent requests excludes pending work, and frees a slot when work is requeued or ends`, async () => {
    const { store } = await start({ concurrentRequests: 2 })
    await using _store = store
    const ids = Array.from({ length: 5 }, () => crypto.randomUUID())
    for (const id of ids) {
      assert.ok(await grants(store, { ...tokens(id, 5), running: false }))
      await store.queue.enqueue(makeSubmission({ id }), options)
    }
    const run = async (id = '') => await grants(store, tokens(id, 9))
    assert.equal((await Promise.all(ids.map(run))).filter((granted) => granted).length, 2)
    for (const id of ids) await store.ledger.reserve({ ...tokens(id, 5), running: false }, options)
    const claim = await claimNext(store.queue)
    const [other, third] = ids.filter((id) => id !== claim.id)
    assert.deepEqual([await run(claim.id), await run(other), await run(other), await run(third)], [true, true, true, false])
    const full = { of: 'account', unit: 'requests', per: 'moment', limit: 2, used: 0, reserved: 2 } as const
    assert.deepEqual(await store.ledger.budgets(ada, options), [full])
    await store.queue.release(claim, { delayMs: 0, usage: null }, options)
    assert.deepEqual(await store.ledger.budgets(ada, options), [{ ...full, reserved: 1 }])
    const again = await claimNext(store.queue)
    assert.deepEqual([await run(third), await run(again.id)], [true, false])
    await store.ledger.release(third ?? '', options)
    assert.ok(await run(again.id))
    await succeed(store.queue, again)
    assert.deepEqual(await store.ledger.budgets(ada, options), [{ ...full, reserved: 1 }])
  })

  test(`${name} budgets: money is reserved at the current price and settled by the recorded cost`, async () => {
    const { store, clock } = await start({ moneyPerDay: 1000, moneyPerMonth: 1500 })
    await using _store = store
    const price = { promptTokens: 1_000_000, completionTokens: 2_000_000, image: 100 }
    const text = (id: string, least: number, most = least) => ({ ...tokens(id, least, most), promptTokens: 10, price })
    const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => grants(store, text(`r${index}`, 55))))
    assert.equal(answers.filter((isGranted) => isGranted).length, 10)
    const index = answers.indexOf(true)
    assert.equal((await store.ledger.budgets(ada, options))[0]?.reserved, 1000)
    await store.usage.append({ ...entry(clock, 20), cost: 30 }, { ...options, id: `r${index}` })
    const day = { of: 'account', unit: 'money', per: 'day', limit: 1000, used: 30, reserved: 900 } as const
    assert.deepEqual(await store.ledger.budgets(ada, options), [day, { ...day, per: 'month', limit: 1500 }])
    assert.deepEqual(await store.ledger.reserve(text('short', 11, 500), options), { isLimited: true, tokens: 10 + 30 })
    await clock.advance(60_000)
    await store.usage.rollUp(options)
    assert.equal((await store.ledger.budgets(ada, options))[1]?.used, 30)
    assert.equal((await store.usage.summarize({ accountId: 'a', from: '2026-01-01', to: '2026-01-01' }, options))[0]?.cost, 30)
  })

  test(`${name} budgets: nothing is reserved for work without a budget`, async () => {
    const { store } = await start({ imagesPerDay: 1 })
    await using _store = store
    assert.deepEqual(await store.ledger.reserve(tokens('text', 60, 90), options), { isLimited: false, tokens: 90 })
    const picture = { ...tokens('picture', 0), unit: 'images', images: 1 } as const
    assert.deepEqual(await store.ledger.reserve(picture, options), { isLimited: true, tokens: 0 })
    assert.deepEqual(await store.ledger.reserve({ ...picture, accountId: 'b', images: 9 }, options), { isLimited: false, tokens: 0 })
  })

  test(`${name} budgets: an empty reservation checks whether budget is left, and takes a slot if requests are limited`, async () => {
    const { store, clock } = await start({ tokensPerMinute: 10 })
    await using _store = store
    const place = (id: string) => ({ ...tokens(id, 1, 0) })
    const minute = { of: 'account', unit: 'tokens', per: 'minute', limit: 10, used: 0, reserved: 10 } as const
    assert.deepEqual(await store.ledger.reserve(place('one'), options), { isLimited: true, tokens: 0 })
    await store.ledger.reserve(tokens('two', 10), options)
    await refuses(store, clock, place('one'), minute)
    await store.ledger.release('two', options)
    assert.deepEqual(await store.ledger.budgets(ada, options), [{ ...minute, reserved: 0 }])
    await store.accounts.change('a', { by: null, limits: { concurrentRequests: 1 } }, options)
    assert.deepEqual(await store.ledger.reserve(place('one'), options), { isLimited: true, tokens: 0 })
    await refuses(store, clock, place('two'), { of: 'account', unit: 'requests', per: 'moment', limit: 1, used: 0, reserved: 1 })
  })

  test(`${name} budgets: a rejected change keeps the earlier reservation`, async () => {
    const { store } = await start({ tokensPerDay: 100 })
    await using _store = store
    await store.ledger.reserve(tokens('one', 60), options)
    assert.ok(!(await grants(store, tokens('one', 101))))
    assert.equal((await store.ledger.budgets(ada, options))[0]?.reserved, 60)
  })
}
