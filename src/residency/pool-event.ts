import type { ComputeDevice } from '../core/compute-device.ts'
import type { Refusal, UnloadReason } from './residency-state.ts'

/** What the pool does with models, for log and metrics. */
export type PoolEvent =
  | {
      readonly type: 'loaded'
      readonly modelId: string
      readonly loadMs: number
      readonly memoryBytes: number
      readonly device: ComputeDevice | undefined
    }
  | { readonly type: 'unloaded'; readonly modelId: string; readonly reason: UnloadReason }
  | { readonly type: 'load-failed'; readonly modelId: string; readonly error: unknown }
  | { readonly type: 'crashed'; readonly modelId: string; readonly reason: string }
  | { readonly type: 'refused'; readonly modelId: string; readonly because: Refusal['because'] }
