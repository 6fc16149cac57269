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
import { testQueueTime } from './queue-time.ts'
import { testRequestLog } from './request-log.ts'
import { testSharedCounts } from './shared-counts.ts'
import type { StoreFactory } from './store-factory.ts'
import { testUsageLog } from './usage-log.ts'
import { testWebhookLog } from './webhook-log.ts'

/** Everything a store must do, whatever it keeps its records in. */
export function testStore(name: string, open: StoreFactory): void {
  testInferenceQueue(name, open)
  testLostAttempts(name, open)
  testQueueFairness(name, open)
  testQueueTime(name, open)
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
