/** llama.cpp rounds the cells of a sequence up to a multiple of this. */
const cellStep = 256
/** Maximum share of the machine's memory left by the weights that keys and values may use. */
const memoryShare = 0.5

/** Storage types of keys and values: 16 bits, or blocks of 32 values at 8 bits with a scale. */
export const cacheTypes = ['f16', 'q8_0'] as const
export type CacheType = (typeof cacheTypes)[number]

/** Bytes of keys and values per token in a storage type, given those at 16 bits. */
export function cacheBytesAs(type: CacheType, bytesAt16: number): number {
  return type === 'q8_0' ? Math.ceil((bytesAt16 * 34) / 64) : bytesAt16
}

/** Number of cells llama.cpp allocates for a context of `tokens`. */
export function padCells(tokens: number): number {
  return Math.ceil(tokens / cellStep) * cellStep
}

/**
 * Tokens per sequence: the requested length or else the trained one, limited by memory.
 *
 * @param wanted null = the model's own.
 * @param bytesPerToken Of keys and values over all layers.
 * @param memory Bytes available for the caches of all sequences.
 */
export function chooseContextLength(
  { wanted, trained }: { readonly wanted: number | null; readonly trained: number },
  { bytesPerToken, sequences, memory }: { readonly bytesPerToken: number; readonly sequences: number; readonly memory: number },
): number {
  const fitting = Math.floor(memory / (bytesPerToken * sequences) / cellStep) * cellStep
  return Math.min(wanted ?? trained, Math.max(fitting, cellStep))
}

/** Bytes available for caches in the processor's memory: half of the memory left by the weights. */
export function cacheMemoryBeside({ weightBytes, machineBytes }: { readonly weightBytes: number; readonly machineBytes: number }): number {
  return Math.max(0, machineBytes - weightBytes) * memoryShare
}
