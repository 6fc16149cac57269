import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from '../support/test-clock.ts'
import { testAccessTokenStore } from './access-token-store.ts'
import { testAccountStore } from './account-store.ts'
import { testAuditLog } from './audit-log.ts'
import { testBudgetLedger } from './budget-ledger.ts'
import { testDocumentStore } from './document-store.ts'
import { testInferenceLog } from './inference-log.ts'
import { testInferenceQueue } from './inference-queue.ts'
import { testKeptBodies } from './kept-bodies.ts'
import { testLostAttempts } from './lost-attempts.ts'
import { testQueueFairness } from './queue-fairness.ts'
import { testQueueRaces } from './queue-races.ts'
import { testQueueTime } from './queue-time.ts'
import { testRequestLog } from './request-log.ts'
import { testSharedCounts } from './shared-counts.ts'
import { roomy, type StoreFactory } from './store-factory.ts'
import { testUsageLog } from './usage-log.ts'
import { testWebhookLog } from './webhook-log.ts'

/** Everything a store must do, whatever it keeps its records in. */
export function testStore(name: string, open: StoreFactory): void {
  testAbortedCalls(name, open)
  testInferenceQueue(name, open)
  testLostAttempts(name, open)
  testQueueFairness(name, open)
  testQueueTime(name, open)
  testQueueRaces(name, open, { seeds: 12 })
  testInferenceLog(name, open)
  testAccountStore(name, open)
  testAccessTokenStore(name, open)
  testUsageLog(name, open)
  testWebhookLog(name, open)
  testAuditLog(name, open)
  testBudgetLedger(name, open)
  testDocumentStore(name, open)
  testSharedCounts(name, open)
  testRequestLog(name, open)
  testKeptBodies(name, open)
}

function testAbortedCalls(name: string, open: StoreFactory): void {
  test(`${name}: every part rejects a call with an aborted signal, with its reason`, async () => {
    await using store = await open({ clock: createTestClock(), limits: roomy })
    const left = { signal: AbortSignal.abort(new Error('left')) }
    const range = { accountId: 'a', from: '2026-01-01', to: '2026-01-02' }
    const document = { kind: 'turn', id: 't', accountId: 'a' } as const
    const calls = {
      queue: () => store.queue.expire(left),
      log: () => store.log.find('r', 'a', left),
      accounts: () => store.accounts.list(left),
      tokens: () => store.tokens.list('a', left),
      usage: () => store.usage.summarize(range, left),
      webhooks: () => store.webhooks.due({ limit: 1, perAccount: 1 }, left),
      documents: () => store.documents.get(document, left),
      counts: () => store.counts.keepPlaces({ subject: 'a', places: 1, limit: 1 }, left),
    }
    for (const [part, call] of Object.entries(calls)) await assert.rejects(call(), /left/, part)
  })
}
