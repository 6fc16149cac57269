import { totalmem } from 'node:os'
import { cacheMemoryBeside } from '../../../core/gguf/context-length.ts'

/** Largest share of a GPU's free memory for the caches; the rest is for what a batch computes. */
const gpuMemoryShare = 0.8

/** Bytes of the processor's memory that models may take; a container's limit counts as the machine's memory. */
export function processorMemory(memoryBytes = Number.POSITIVE_INFINITY): number {
  return Math.min(process.constrainedMemory() || totalmem(), totalmem(), memoryBytes)
}

/**
 * Bytes we let the caches take.
 *
 * @param file.gpuMemory Free bytes beside the weights where a GPU holds the caches; null = the processor's memory does.
 * @param options.memoryBytes What all models together may take.
 */
export function cacheMemory(
  { bytes, gpuMemory }: { readonly bytes: number; readonly gpuMemory: number | null },
  { memoryBytes }: { readonly memoryBytes?: number | undefined } = {},
): number {
  if (gpuMemory !== null) return gpuMemory * gpuMemoryShare
  return cacheMemoryBeside({ weightBytes: bytes, machineBytes: processorMemory(memoryBytes) })
}
