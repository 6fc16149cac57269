import type { Clock } from '../core/ports/clock.ts'
import type { ModelPool } from '../core/ports/model-pool.ts'
import type { UsageLog } from '../core/ports/usage-log.ts'
import type { UsageEntry } from '../core/usage.ts'

/** What work needs whose caller is waiting for it. */
export interface InteractiveDependencies {
  readonly pool: ModelPool
  readonly usage: UsageLog
  readonly clock: Clock
  /** Longest run once a slot is held. */
  readonly runLimitMs: number
  /** Told of each entry in the books. */
  readonly onBooked: (entry: UsageEntry) => void
  /** Told of failures that must not reach the caller, such as books that cannot be written. */
  readonly onFault: (fault: unknown) => void
}
