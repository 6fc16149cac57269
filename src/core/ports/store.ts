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

/** All data of a node except outputs; disposing waits for operations in progress. */
export interface Store extends AsyncDisposable {
  /** The clock for all stored times. */
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
  /** Whether damage was found, so that the node should receive no requests; absent if an external database monitors itself. */
  readonly isDamaged?: () => boolean
  /** Moves large waiting requests to the output store from now on; absent if they are stored with their records. */
  readonly keepLargeWorkIn?: (outputs: OutputStore) => void
  /** Nodes that share the store; absent if it cannot be shared. */
  readonly nodes?: NodeRegistry
  /** Registers a callback for ids of inferences that ended on other nodes; some may be missed. Absent without other nodes. */
  readonly onEndedElsewhere?: (notify: (ids: readonly string[]) => void) => void
}
