import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { UsageEntry } from '../../src/core/usage.ts'
import { createTestClock } from '../support/test-clock.ts'
import { options, roomy, type StoreFactory } from './store-factory.ts'

const entry: UsageEntry = {
  accountId: 'a',
  tokenId: 't',
  model: 'm',
  kind: 'chat',
  outcome: 'succeeded',
  promptTokens: 10,
  completionTokens: 5,
  images: 0,
  cost: 7,
  durationMs: 100,
  at: Date.UTC(2026, 0, 2, 23, 59, 59, 999),
}

export function testUsageLog(name: string, open: StoreFactory): void {
  test(`${name} usage: sums per UTC day, account and model`, async () => {
    await using store = await open({ clock: createTestClock(entry.at + 61_000), limits: roomy })
    const entries: UsageEntry[] = [
      entry,
      { ...entry, outcome: 'failed', completionTokens: 1 },
      { ...entry, at: entry.at + 1, kind: 'image', model: 'n', images: 3, promptTokens: 0, completionTokens: 0, outcome: 'cancelled' },
      { ...entry, accountId: 'b' },
    ]
    for (const each of entries) await store.usage.append(each, options)
    const first = {
      day: '2026-01-02',
      accountId: 'a',
      model: 'm',
      requests: 2,
      failures: 1,
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
      promptTokens: 0,
      completionTokens: 0,
      images: 3,
      cost: 7,
    }
    assert.deepEqual(await store.usage.summarize({ accountId: 'a', from: '2026-01-01', to: '2026-01-31' }, options), [first, second])
    assert.equal(await store.usage.rollUp(options), 4)
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
}
