import type { Clock } from '../../core/ports/clock.ts'
import type { QueueLimits } from '../../core/ports/inference-queue.ts'
import type { Store } from '../../core/ports/store.ts'
import { createLocalCounts } from '../local-counts.ts'
import { MemoryAccessTokenStore } from './access-token-store.ts'
import { MemoryAccountStore } from './account-store.ts'
import { MemoryAuditLog } from './audit-log.ts'
import { MemoryBudgetLedger } from './budget-ledger.ts'
import { MemoryDocumentStore } from './document-store.ts'
import { MemoryInferenceLog } from './inference-log.ts'
import { MemoryInferenceQueue } from './inference-queue.ts'
import { InferenceTable } from './inference-table.ts'
import { MemoryRequestLog } from './request-log.ts'
import { Turns } from './turns.ts'
import { MemoryUsageLog } from './usage-log.ts'
import { MemoryWebhookLog } from './webhook-log.ts'

/** A whole store in memory, for tests and benches; nothing survives it. */
export function createMemoryStore({ clock, limits }: { readonly clock: Clock; readonly limits: QueueLimits }): Store {
  const webhooks = new MemoryWebhookLog(clock)
  const tokens = new MemoryAccessTokenStore()
  const table = new InferenceTable({
    onCompleted: (entry) => {
      webhooks.announce(entry)
      ledger.end(entry.inference.id)
    },
    onPutBack: (entry) => ledger.wait(entry.inference.id),
  })
  const turns = new Turns()
  const usage = new MemoryUsageLog(clock, (reservation) => ledger.end(reservation))
  const accounts = new MemoryAccountStore((accountId, at) => table.cancelAll(accountId, at))
  const ledger = new MemoryBudgetLedger({
    limitsOf: (of, id) => (of === 'account' ? accounts : tokens).limitsOf(id),
    used: (of, id) => usage.used(of, id),
  })
  return {
    clock,
    queue: new MemoryInferenceQueue(
      { table, turns, usage },
      { clock, limits, isDisabled: (accountId) => accounts.isDisabled(accountId), limitsOf: (accountId) => accounts.limitsOf(accountId) },
    ),
    log: new MemoryInferenceLog(table, turns, { clock, weightOf: (accountId) => accounts.limitsOf(accountId).weight ?? 1 }),
    accounts,
    tokens,
    usage,
    ledger,
    webhooks,
    audit: new MemoryAuditLog(),
    documents: new MemoryDocumentStore(clock),
    counts: createLocalCounts(),
    requests: new MemoryRequestLog(),
    [Symbol.asyncDispose]: async () => {},
  }
}
