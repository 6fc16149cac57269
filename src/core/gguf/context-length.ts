/** llama.cpp gives every sequence a multiple of this many cells. */
const cellStep = 256
/** Largest share of the machine's memory beside the weights that keys and values may take. */
const memoryShare = 0.5

/** How keys and values are kept: at 16 bits, or in blocks of 32 at 8 bits with a scale. */
export const cacheTypes = ['f16', 'q8_0'] as const
export type CacheType = (typeof cacheTypes)[number]

/** Bytes of keys and values per token, of those that they take at 16 bits. */
export function cacheBytesAs(type: CacheType, bytesAt16: number): number {
  return type === 'q8_0' ? Math.ceil((bytesAt16 * 34) / 64) : bytesAt16
}

/** llama.cpp's cell count for a context of `tokens`. */
export function padCells(tokens: number): number {
  return Math.ceil(tokens / cellStep) * cellStep
}

/**
 * Tokens per sequence: what is asked for, else what the model was trained for, but no more than fits in memory.
 *
 * @param wanted null = the model's own.
 * @param bytesPerToken Of keys and values over all layers.
 * @param memory Bytes for the caches of all sequences.
 */
export function chooseContextLength(
  { wanted, trained }: { readonly wanted: number | null; readonly trained: number },
  { bytesPerToken, sequences, memory }: { readonly bytesPerToken: number; readonly sequences: number; readonly memory: number },
): number {
  const fitting = Math.floor(memory / (bytesPerToken * sequences) / cellStep) * cellStep
  return Math.min(wanted ?? trained, Math.max(fitting, cellStep))
}

/** Bytes we let the caches take where the processor's memory holds them: half of what the weights leave. */
export function cacheMemoryBeside({ weightBytes, machineBytes }: { readonly weightBytes: number; readonly machineBytes: number }): number {
  return Math.max(0, machineBytes - weightBytes) * memoryShare
}
