import { totalmem } from 'node:os'

/** llama.cpp gives every sequence a multiple of this many cells. */
const cellStep = 256
/** Largest share of the machine's memory that keys and values may take. */
const memoryShare = 0.5
/** Largest share of a GPU's free memory for them; the rest is for what a batch computes. */
const gpuMemoryShare = 0.8

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

/**
 * Bytes we let the caches take: half of what is free of weights; a container's limit counts as the machine's memory.
 *
 * @param file.gpuMemory Free bytes beside the weights where a GPU holds the caches; null = the processor's memory does.
 */
export function cacheMemory({ bytes: weightBytes, gpuMemory }: { readonly bytes: number; readonly gpuMemory: number | null }): number {
  if (gpuMemory !== null) return gpuMemory * gpuMemoryShare
  const limit = process.constrainedMemory()
  const machine = limit > 0 ? Math.min(limit, totalmem()) : totalmem()
  return Math.max(0, machine - weightBytes) * memoryShare
}
