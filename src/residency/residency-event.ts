import type { MemoryNeed } from '../core/memory/memory-need.ts'
import type { ResidentModel } from './residency-state.ts'

/** What the planner is told. */
export type PlannerEvent =
  | { readonly type: 'introduce'; readonly model: ResidentModel }
  | {
      readonly type: 'acquire'
      readonly modelId: string
      readonly waiterId: number
      readonly account: string
      /** How many turns it gets for one of others; absent = 1. */
      readonly weight?: number
      readonly sequences: number
      readonly deferred?: boolean
      /** Lower first, among the waiters of its account. */
      readonly priority?: number
    }
  | { readonly type: 'want'; readonly modelId: string; readonly waiterId: number }
  /** A waiter no longer waits. */
  | { readonly type: 'leave'; readonly modelId: string; readonly waiterId: number }
  | { readonly type: 'release'; readonly modelId: string; readonly waiterId: number }
  | { readonly type: 'loaded'; readonly modelId: string; readonly slots: number }
  /** A load failed, or a loaded process died unasked. */
  | { readonly type: 'crashed'; readonly modelId: string }
  | { readonly type: 'unload'; readonly modelId: string }
  /** Its process has ended; it took so much memory in the end. */
  | { readonly type: 'unloaded'; readonly modelId: string; readonly memory: MemoryNeed }
  /** Time went by. */
  | { readonly type: 'tick' }
  | { readonly type: 'close' }
