import type { UsageLog } from '../core/ports/usage-log.ts'
import type { UsageEntry } from '../core/usage.ts'
import type { RunDependencies } from './hold-slot.ts'

/** What work needs whose caller is waiting for it. */
export interface InteractiveDependencies extends RunDependencies {
  readonly usage: Pick<UsageLog, 'append'>
  /** Told how work ended, before the books are, whether they can be written or not. */
  readonly onEnded?: (entry: UsageEntry) => void
  /** Told of each entry in the books. */
  readonly onBooked: (entry: UsageEntry) => void
  /** Told of failures that must not reach the caller, such as books that cannot be written. */
  readonly onFault: (fault: unknown) => void
}
