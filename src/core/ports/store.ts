import type { AccessTokenStore } from './access-token-store.ts'
import type { AccountStore } from './account-store.ts'
import type { AuditLog } from './audit-log.ts'
import type { BudgetLedger } from './budget-ledger.ts'
import type { Clock } from './clock.ts'
import type { DocumentStore } from './document-store.ts'
import type { InferenceLog } from './inference-log.ts'
import type { InferenceQueue } from './inference-queue.ts'
import type { NodeRegistry } from './node-registry.ts'
import type { OutputStore } from './output-store.ts'
import type { RequestLog } from './request-log.ts'
import type { SharedCounts, UsageLog } from './usage-log.ts'
import type { WebhookLog } from './webhook-log.ts'

/** Everything a node keeps except outputs; disposing it waits for what was asked before. */
export interface Store extends AsyncDisposable {
  /** The time that every stored moment is written and compared in. */
  readonly clock: Clock
  readonly queue: InferenceQueue
  readonly log: InferenceLog
  readonly accounts: AccountStore
  readonly tokens: AccessTokenStore
  readonly usage: UsageLog
  readonly webhooks: WebhookLog
  readonly audit: AuditLog
  readonly ledger: BudgetLedger
  readonly documents: DocumentStore
  readonly counts: SharedCounts
  readonly requests: RequestLog
  /** Whether a part of it was found damaged, so that nothing should be sent here; absent where another service looks after it. */
  readonly isDamaged?: () => boolean
  /** From now on keeps large requests that wait there, and reads them from there; absent where they lie with their records. */
  readonly keepLargeWorkIn?: (outputs: OutputStore) => void
  /** The nodes that share the store; absent where it cannot be shared. */
  readonly nodes?: NodeRegistry
  /** Calls back with the ids of inferences that ended on other nodes; some may be missed. Absent where there are no other nodes. */
  readonly onEndedElsewhere?: (notify: (ids: readonly string[]) => void) => void
}
