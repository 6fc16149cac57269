import type { MemoryNeed } from '../core/memory/memory-need.ts'

/** What bounds the models in memory and the requests that wait for them. */
export interface ResidencyLimits {
  /** Resident bytes that all models together may take. */
  readonly memoryBytes: number
  /** Bytes of the GPU that all models together may take: 0 or absent = there is none, null = it does not tell. */
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
