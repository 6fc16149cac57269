import type { ComputeDevice } from '../core/compute-device.ts'
import type { MemoryEstimate, MemoryNeed } from '../core/memory/estimate-memory.ts'

/** A request that waits for a slot. */
export interface Waiter {
  readonly id: number
  readonly account: string
  /** How many turns its account gets for one of others; absent = 1. */
  readonly weight?: number
  /** Completions or pictures it makes, 1 to 16: what it weighs among the others. */
  readonly sequences: number
  /** Unix milliseconds. */
  readonly since: number
  /** When it came, moved by its priority: the waiters of one account are served in this order. */
  readonly due: number
  /** Whether its caller waits at no connection. */
  readonly deferred: boolean
  /** Whether it was let into the queue, so that its account's share no longer matters. */
  readonly admitted: boolean
}

/** A slot in use; `id` is the waiter's that got it. */
export type HeldSlot = Waiter

/**
 * Where a model is.
 *
 * - `unloaded`: not in memory; the first waiter starts a load as soon as there is memory for it.
 * - `loading`, `unloading`: its process starts or ends.
 * - `loaded`: hands out slots, unless it is draining: then it ends with its last lease.
 * - `backing-off`: its process died or did not load; entered by each crash, left when the time has come.
 */
export type Phase =
  | { readonly type: 'unloaded' }
  | { readonly type: 'loading' }
  | { readonly type: 'loaded'; readonly since: number; readonly draining: UnloadReason | null }
  | { readonly type: 'unloading' }
  /** Waiters up to the id `keeps` stay, later ones are refused. `unloadable`: it did not load, again and again, or its file cannot be loaded at all. */
  | { readonly type: 'backing-off'; readonly until: number; readonly keeps: number; readonly unloadable: boolean }

export type UnloadReason = 'idle' | 'memory' | 'asked'

/** All the planner knows about one model. Times in Unix milliseconds. */
export interface ResidentModel {
  readonly id: string
  readonly phase: Phase
  /** Waiters it may have. */
  readonly queue: number
  /** Waiters of one account that it may have. */
  readonly share: number
  /** Slots of its last load, or as many as are expected. */
  readonly slots: number
  readonly held: readonly HeldSlot[]
  readonly waiting: readonly Waiter[]
  /** Requests that wait for the load without a slot. */
  readonly wanted: readonly number[]
  /** Sequences given to each account that has had more than others; counted from the same start for all. */
  readonly given: ReadonlyMap<string, number>
  /** The least that an account had been given which waited when one was served last. */
  readonly givenLeast: number
  readonly lastUsedAt: number
  /** Deaths in a row, each of a process that had served nobody and not lived long. */
  readonly crashes: number
  /** Whether a lease has ended since the last load. */
  readonly served: boolean
  /** How long a slot was held, averaged over the last few; 0 before the first. */
  readonly meanHeldMs: number
  /** Memory it took last time, or a guess from its files, and the least it can do with. */
  readonly memory: MemoryEstimate
}

/** The planner's whole state. */
export interface ResidencyState {
  readonly models: ReadonlyMap<string, ResidentModel>
  readonly closing: boolean
}

/** A model nobody has asked for yet. */
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

/** A model and what was decided about it. */
export interface ModelPlan {
  readonly model: ResidentModel
  readonly decisions: readonly Decision[]
}

/** What bounds the models in memory and the requests that wait for them. */
export interface ResidencyLimits {
  /** Resident bytes that all models together may take. */
  readonly memoryBytes: number
  /** Bytes of the GPU that all models together may take: 0 or absent = there is none, null = unknown. */
  readonly gpuMemoryBytes?: number | null
  /** Memory of the machine, or of the container; absent = as much as the models may take. */
  readonly machineBytes?: number
  /** A model unused for this long is unloaded; null = never. */
  readonly idleUnloadMs: number | null
  /** Slots a text model is expected to have, until its load tells. */
  readonly textSlots: number
  /** Requests waiting per text model; one more is refused. */
  readonly textQueue: number
  /** Requests waiting per image model; one more is refused. */
  readonly imageQueue: number
  /** Part of each of these queues that one account may fill, over 0 and up to 1; absent = all of it. */
  readonly accountShare?: number
  /** A request that waited for this long is refused. */
  readonly waitLimitMs: number
}

/** What all models together may take of each kind of memory. */
export function memoryBudget({ memoryBytes, gpuMemoryBytes }: Pick<ResidencyLimits, 'memoryBytes' | 'gpuMemoryBytes'>): MemoryNeed {
  return { processorBytes: memoryBytes, gpuBytes: gpuMemoryBytes === null ? Number.POSITIVE_INFINITY : (gpuMemoryBytes ?? 0) }
}

/** Waiters of one account that a queue may have: at least one, where anybody may wait at all. */
export function shareOf(queue: number, { accountShare = 1 }: Pick<ResidencyLimits, 'accountShare'>): number {
  return Math.min(queue, Math.max(1, Math.floor(queue * accountShare)))
}

/** How long a busy model is left in place although another needs its memory, so that two models cannot only swap. */
export const leastResidentMs = 10_000

/** How often memory in use is compared with the budget, beside every load. */
export const reviewMs = 30_000

/** An event for the planner. */
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
  /** A load failed, or a loaded process died unasked. `blame`: the machine, which could start no process, or the model's file, which cannot be loaded at all; absent = unknown. */
  | { readonly type: 'crashed'; readonly modelId: string; readonly blame?: 'machine' | 'file' }
  | { readonly type: 'unload'; readonly modelId: string }
  /** Its process has ended; it took so much memory in the end. */
  | { readonly type: 'unloaded'; readonly modelId: string; readonly memory: MemoryNeed }
  /** Time went by. */
  | { readonly type: 'tick' }
  | { readonly type: 'close' }

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
