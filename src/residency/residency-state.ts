import type { MemoryEstimate } from '../core/memory/estimate-memory.ts'

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
  /** Waiters up to the id `keeps` stay, later ones are refused. `unloadable`: it did not load, again and again. */
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
  /** Who waits for it to be loaded without wanting a slot. */
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
