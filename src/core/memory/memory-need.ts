/** Bytes of the processor's memory and of the GPU's; each has a budget of its own. */
export interface MemoryNeed {
  readonly processorBytes: number
  readonly gpuBytes: number
}

export const noMemory: MemoryNeed = { processorBytes: 0, gpuBytes: 0 }

/** The sum of each kind. */
export function addMemory(a: MemoryNeed, b: MemoryNeed): MemoryNeed {
  return { processorBytes: a.processorBytes + b.processorBytes, gpuBytes: a.gpuBytes + b.gpuBytes }
}

/** What `a` takes beyond `b` of each kind; below 0 where it takes less. */
export function beyondMemory(a: MemoryNeed, b: MemoryNeed): MemoryNeed {
  return { processorBytes: a.processorBytes - b.processorBytes, gpuBytes: a.gpuBytes - b.gpuBytes }
}

/** The lesser of each kind. */
export function leastMemory(a: MemoryNeed, b: MemoryNeed): MemoryNeed {
  return { processorBytes: Math.min(a.processorBytes, b.processorBytes), gpuBytes: Math.min(a.gpuBytes, b.gpuBytes) }
}

/** Whether no kind is taken beyond its budget. */
export function fitsMemory(need: MemoryNeed, budget: MemoryNeed): boolean {
  return need.processorBytes <= budget.processorBytes && need.gpuBytes <= budget.gpuBytes
}
