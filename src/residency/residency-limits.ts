/** What bounds the models in memory and the requests that wait for them. */
export interface ResidencyLimits {
  /** Resident bytes that all models together may take. */
  readonly memoryBytes: number
  /** A model unused for this long is unloaded; null = never. */
  readonly idleUnloadMs: number | null
  /** Slots a text model is expected to have, until its load tells. */
  readonly textSlots: number
  /** Requests waiting per text model; one more is refused. */
  readonly textQueue: number
  /** Requests waiting per image model; one more is refused. */
  readonly imageQueue: number
  /** A request that waited for this long is refused. */
  readonly waitLimitMs: number
}

/** How long a busy model is left in place although another needs its memory, so that two models cannot only swap. */
export const leastResidentMs = 10_000

/** How often memory in use is compared with the budget, beside every load. */
export const reviewMs = 30_000
