import type { UnloadReason } from './residency-state.ts'

/** Why a waiter is sent away, and when it may come back. */
export interface Refusal {
  readonly because:
    | 'queue-full'
    | 'share-full'
    | 'waited-too-long'
    | 'still-loading'
    | 'backing-off'
    | 'unloadable'
    | 'too-large'
    | 'closing'
  readonly retryAfterSeconds: number
}

/** What the planner wants done. */
export type Decision =
  | { readonly type: 'load'; readonly modelId: string }
  | { readonly type: 'unload'; readonly modelId: string; readonly reason: UnloadReason }
  /** The waiter has its slot, or the model it wanted is loaded. */
  | { readonly type: 'grant'; readonly modelId: string; readonly waiterId: number }
  | { readonly type: 'refuse'; readonly modelId: string; readonly waiterId: number; readonly refusal: Refusal }
