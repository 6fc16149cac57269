import type { ComputeDevice } from '../core/compute-device.ts'
import type { MemoryEstimate, MemoryNeed } from '../core/memory/estimate-memory.ts'

/** A request that waits for a slot. */
export interface Waiter {
  readonly id: number
  readonly account: string
  /** Turns of its account relative to others; absent = 1. */
  readonly weight?: number
  /** Completions or images, 1 to 16; the size of the request for fair sharing. */
  readonly sequences: number
  /** Milliseconds of a clock that is never set. */
  readonly since: number
  /** Arrival shifted by priority; orders the waiters of an account. */
  readonly due: number
  /** Whether the request is asynchronous. */
  readonly deferred: boolean
  /** Whether it was admitted to the queue, so that its account's share no longer applies. */
  readonly admitted: boolean
}

/** A slot in use; `id` is that of its waiter. */
export type HeldSlot = Waiter

/**
 * Phases of a model.
 *
 * - `unloaded`: not in memory; the first waiter starts a load as soon as there is memory for it.
 * - `loading`, `unloading`: its process starts or ends.
 * - `loaded`: grants slots; if draining, it is unloaded after its last lease.
 * - `backing-off`: its process died or failed to load; entered by each crash, left after a pause.
 */
export type Phase =
  | { readonly type: 'unloaded' }
  | { readonly type: 'loading' }
  | { readonly type: 'loaded'; readonly since: number; readonly draining: UnloadReason | null }
  | { readonly type: 'unloading' }
  /** Waiters up to the id `keeps` stay, later ones are refused. `unloadable`: loading fails repeatedly, or the file can never be loaded. */
  | { readonly type: 'backing-off'; readonly until: number; readonly keeps: number; readonly unloadable: boolean }

export type UnloadReason = 'idle' | 'memory' | 'asked'

/** The planner's state of one model. Times in milliseconds of a clock that is never set. */
export interface ResidentModel {
  readonly id: string
  readonly phase: Phase
  /** Maximum number of waiters. */
  readonly queue: number
  /** Maximum number of waiters per account. */
  readonly share: number
  /** Slots of its last load, or the expected number. */
  readonly slots: number
  readonly held: readonly HeldSlot[]
  readonly waiting: readonly Waiter[]
  /** Requests that only wait for the load. */
  readonly wanted: readonly number[]
  /** Sequences served per account beyond the minimum, from a common start. */
  readonly given: ReadonlyMap<string, number>
  /** The minimum served among the waiting accounts at the last grant. */
  readonly givenLeast: number
  readonly lastUsedAt: number
  /** Consecutive crashes of processes that served no request and had a short uptime. */
  readonly crashes: number
  /** Whether a lease has ended since the last load. */
  readonly served: boolean
  /** Average time of the last few leases; 0 = none yet. */
  readonly meanHeldMs: number
  /** Memory of the last load or an estimate from its files, and the minimum. */
  readonly memory: MemoryEstimate
}

/** The complete state of the planner. */
export interface ResidencyState {
  readonly models: ReadonlyMap<string, ResidentModel>
  readonly closing: boolean
}

/** The initial state of a model. */
export function introduceModel({
  id,
  queue,
  share = queue,
  slots,
  memory,
}: {
  id: string
  queue: number
  share?: number
  slots: number
  memory: MemoryEstimate
}): ResidentModel {
  return {
    id,
    queue,
    share,
    phase: { type: 'unloaded' },
    slots,
    held: [],
    waiting: [],
    wanted: [],
    given: new Map(),
    givenLeast: 0,
    lastUsedAt: 0,
    crashes: 0,
    served: false,
    meanHeldMs: 0,
    memory,
  }
}

/** The state with one model replaced. */
export function withModel(state: ResidencyState, model: ResidentModel): ResidencyState {
  return { ...state, models: new Map(state.models).set(model.id, model) }
}

/** A model with the decisions about it. */
export interface ModelPlan {
  readonly model: ResidentModel
  readonly decisions: readonly Decision[]
}

/** Limits of loaded models and waiting requests. */
export interface ResidencyLimits {
  /** Memory for all models together, in bytes. */
  readonly memoryBytes: number
  /** GPU memory for all models together, in bytes: 0 or absent = no GPU, null = unknown. */
  readonly gpuMemoryBytes?: number | null
  /** Memory of the machine or container; absent = `memoryBytes`. */
  readonly machineBytes?: number
  /** Idle time before unloading; null = never. */
  readonly idleUnloadMs: number | null
  /** Expected slots of a text model before its first load. */
  readonly textSlots: number
  /** Maximum number of waiting requests per text model. */
  readonly textQueue: number
  /** Maximum number of waiting requests per image model. */
  readonly imageQueue: number
  /** Share of each queue that one account may fill, over 0 and up to 1; absent = all. */
  readonly accountShare?: number
  /** Maximum wait of a request. */
  readonly waitLimitMs: number
}

/** Memory budget of each kind. */
export function memoryBudget({ memoryBytes, gpuMemoryBytes }: Pick<ResidencyLimits, 'memoryBytes' | 'gpuMemoryBytes'>): MemoryNeed {
  return { processorBytes: memoryBytes, gpuBytes: gpuMemoryBytes === null ? Number.POSITIVE_INFINITY : (gpuMemoryBytes ?? 0) }
}

/** Maximum number of waiters per account; at least one if any may wait. */
export function shareOf(queue: number, { accountShare = 1 }: Pick<ResidencyLimits, 'accountShare'>): number {
  return Math.min(queue, Math.max(1, Math.floor(queue * accountShare)))
}

/** Minimum time a busy model stays loaded when another needs its memory, so that two models do not just swap. */
export const minResidentMs = 10_000

/** Interval between checks of the memory in use, in addition to each load. */
export const reviewMs = 30_000

/** An event for the planner. */
export type PlannerEvent =
  | { readonly type: 'introduce'; readonly model: ResidentModel }
  | {
      readonly type: 'acquire'
      readonly modelId: string
      readonly waiterId: number
      readonly account: string
      /** Turns relative to other accounts; absent = 1. */
      readonly weight?: number
      readonly sequences: number
      readonly deferred?: boolean
      /** Order among the waiters of its account, lower first. */
      readonly priority?: number
    }
  | { readonly type: 'want'; readonly modelId: string; readonly waiterId: number }
  /** A waiter has left. */
  | { readonly type: 'leave'; readonly modelId: string; readonly waiterId: number }
  | { readonly type: 'release'; readonly modelId: string; readonly waiterId: number }
  | { readonly type: 'loaded'; readonly modelId: string; readonly slots: number }
  /**
   * A load failed, or a loaded process died. `blame`: the machine (no process could be started) or the model's file (it can never be
   * loaded); absent = unknown.
   */
  | { readonly type: 'crashed'; readonly modelId: string; readonly blame?: 'machine' | 'file' }
  | { readonly type: 'unload'; readonly modelId: string }
  /** Its process has ended; `memory` is its last measurement. */
  | { readonly type: 'unloaded'; readonly modelId: string; readonly memory: MemoryNeed }
  /** Time has passed. */
  | { readonly type: 'tick' }
  | { readonly type: 'close' }

/** Why a waiter is refused, and when it may retry. */
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

/** A decision of the planner. */
export type Decision =
  | { readonly type: 'load'; readonly modelId: string }
  | { readonly type: 'unload'; readonly modelId: string; readonly reason: UnloadReason }
  /** The waiter gets its slot, or the requested model is loaded. */
  | { readonly type: 'grant'; readonly modelId: string; readonly waiterId: number }
  | { readonly type: 'refuse'; readonly modelId: string; readonly waiterId: number; readonly refusal: Refusal }

/** Events of the pool for log and metrics. */
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
