import type { Clock } from '../../src/core/ports/clock.ts'
import type { QueueLimits } from '../../src/core/ports/inference-queue.ts'
import type { Store } from '../../src/core/ports/store.ts'

/** Makes an empty store; whatever it needs besides goes away with it. */
export type StoreFactory = (settings: { readonly clock: Clock; readonly limits: QueueLimits }) => Promise<Store>

export const options = { signal: new AbortController().signal }
export const roomy: QueueLimits = { maxPending: 1000 }
