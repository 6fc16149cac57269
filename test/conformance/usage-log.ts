import assert from 'node:assert/strict'
import { test } from 'node:test'
import { percentilesOf } from '../../src/core/limits/latency.ts'
import type { UsageEntry, UsageQuestion } from '../../src/core/usage.ts'
import { makeUsageEntry } from '../support/memory/usage-entry.ts'
import { createTestClock } from '../support/test-clock.ts'
import { options, roomy, type StoreFactory } from './store-factory.ts'

const entry = makeUsageEntry({
  tokenId: 't',
  promptTokens: 10,
  completionTokens: 5,
  cost: 7,
  durationMs: 100,
  at: Date.UTC(2026, 0, 2, 23, 59, 59, 999),
})

export function testUsageLog(name: string, open: StoreFactory): void {
  test(`${name} usage: a repeated append adds nothing, and equal entries of different work all count`, async () => {
    await using store = await open({ clock: createTestClock(entry.at), limits: roomy })
    for (const id of ['one', 'other']) for (let round = 0; round < 2; round++) await store.usage.append(entry, { ...options, id })
    for (let round = 0; round < 2; round++) await store.usage.append(entry, options)
    const [sum] = await store.usage.summarize({ accountId: 'a', from: '2026-01-01', to: '2026-01-31' }, options)
    assert.equal(sum?.requests, 4)
  })

  test(`${name} usage: is summed per UTC day, account and model`, async () => {
    await using store = await open({ clock: createTestClock(entry.at + 61_000), limits: roomy })
    const entries: UsageEntry[] = [
      entry,
      { ...entry, outcome: 'failed', completionTokens: 1 },
      { ...entry, outcome: 'refused', promptTokens: 0, completionTokens: 0, cost: 0 },
      { ...entry, at: entry.at + 1, kind: 'image', model: 'n', images: 3, promptTokens: 0, completionTokens: 0, outcome: 'cancelled' },
      { ...entry, accountId: 'b' },
    ]
    for (const each of entries) await store.usage.append(each, options)
    const first = {
      day: '2026-01-02',
      accountId: 'a',
      model: 'm',
      requests: 3,
      failures: 1,
      refusals: 1,
      promptTokens: 20,
      completionTokens: 6,
      images: 0,
      cost: 14,
    }
    const second = {
      day: '2026-01-03',
      accountId: 'a',
      model: 'n',
      requests: 1,
      failures: 0,
      refusals: 0,
      promptTokens: 0,
      completionTokens: 0,
      images: 3,
      cost: 7,
    }
    assert.deepEqual(await store.usage.summarize({ accountId: 'a', from: '2026-01-01', to: '2026-01-31' }, options), [first, second])
    assert.equal(await store.usage.rollUp(options), 5)
    assert.equal(await store.usage.rollUp(options), 0)
    await store.usage.append({ ...entry, accountId: 'b' }, options)
    assert.deepEqual(await store.usage.summarize({ accountId: 'a', from: '2026-01-01', to: '2026-01-31' }, options), [first, second])
    const [b] = await store.usage.summarize({ accountId: 'b', from: '2026-01-01', to: '2026-01-31' }, options)
    assert.deepEqual([b?.requests, b?.promptTokens], [2, 20])
    assert.deepEqual(await store.usage.summarize({ accountId: 'a', from: '2026-01-03', to: '2026-01-03' }, options), [second])
    const everybody = await store.usage.summarize({ accountId: null, from: '2026-01-02', to: '2026-01-02' }, options)
    assert.deepEqual(
      everybody.map((day) => day.accountId),
      ['a', 'b'],
    )
  })

  test(`${name} usage: is reported by person, token, model, hour and day, with latencies, before and after the rollup`, async () => {
    const clock = createTestClock(Date.UTC(2026, 0, 2, 9, 30))
    await using store = await open({ clock, limits: roomy })
    const book = (change: Partial<UsageEntry>) => store.usage.append({ ...entry, at: clock.now(), ...change }, options)
    const report = (by: UsageQuestion['by'], accountId: string | null = null) =>
      store.usage.report({ accountId, from: '2026-01-01', to: '2026-01-31', by }, options)
    assert.deepEqual(await report([]), [])
    for (const durationMs of [8, 8, 64]) await book({ durationMs, firstTokenMs: durationMs / 4 })
    await book({ tokenId: null, durationMs: 1000, outcome: 'failed' })
    await clock.advance(60 * 60_000)
    await book({ accountId: 'b', tokenId: 'u', model: 'n', images: 2, durationMs: 4000, firstTokenMs: null })
    const check = async () => {
      const counted = async (by: UsageQuestion['by'], accountId?: string) =>
        (await report(by, accountId)).map(({ keys, requests }) => [Object.values(keys).join(' '), requests])
      assert.deepEqual(await counted(['account']), [
        ['a', 4],
        ['b', 1],
      ])
      assert.deepEqual(await counted(['token'], 'a'), [
        ['', 1],
        ['t', 3],
      ])
      assert.deepEqual(await counted(['model', 'token']), [
        ['m ', 1],
        ['m t', 3],
        ['n u', 1],
      ])
      assert.deepEqual(await counted(['hour']), [
        ['2026-01-02T09', 4],
        ['2026-01-02T10', 1],
      ])
      assert.deepEqual(await counted(['day'], 'b'), [['2026-01-02', 1]])
      const [all, none] = await report([], 'a')
      assert.equal(none, undefined)
      assert.deepEqual(
        [all?.requests, all?.failures, all?.promptTokens, all?.completionTokens, all?.images, all?.cost],
        [4, 1, 40, 20, 0, 28],
      )
      assert.deepEqual(percentilesOf(all?.latency ?? []), { p50: 8, p95: 1024, p99: 1024 })
      assert.deepEqual(percentilesOf(all?.firstToken ?? []), { p50: 2, p95: 16, p99: 16 })
      const [, tenth] = await report(['hour'])
      assert.deepEqual([tenth?.images, percentilesOf(tenth?.latency ?? [])?.p50, percentilesOf(tenth?.firstToken ?? [])], [2, 4096, null])
    }
    await check()
    await store.usage.rollUp(options)
    await check()
    await clock.advance(60_000)
    await store.usage.rollUp(options)
    await check()
    await store.usage.rollUp(options)
    await book({})
    assert.equal((await report(['account']))[0]?.requests, 5)
  })

  test(`${name} usage: hours are kept for 31 days, days forever`, async () => {
    const clock = createTestClock(Date.UTC(2026, 0, 2, 9, 30))
    await using store = await open({ clock, limits: roomy })
    await store.usage.append({ ...entry, at: clock.now() }, options)
    const count = async (by: UsageQuestion['by']) =>
      (await store.usage.report({ accountId: null, from: '2026-01-01', to: '2026-12-31', by }, options)).length
    await clock.advance(60_000)
    await store.usage.rollUp(options)
    await clock.advance(30 * 24 * 60 * 60_000)
    await store.usage.rollUp(options)
    assert.equal(await count(['hour']), 1)
    await clock.advance(2 * 24 * 60 * 60_000)
    await store.usage.rollUp(options)
    assert.deepEqual([await count(['hour']), await count(['token', 'day'])], [0, 1])
  })
}
