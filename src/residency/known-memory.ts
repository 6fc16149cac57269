import { correctEstimate, estimateMemory, type MemoryEstimate } from '../core/memory/estimate-memory.ts'
import type { MemoryNeed } from '../core/memory/memory-need.ts'
import type { ModelDescriptor } from '../core/model.ts'
import type { MeasuredMemory } from '../core/ports/measured-memory.ts'
import { memoryBudget, type ResidencyLimits } from './residency-state.ts'

interface Sources {
  readonly limits: ResidencyLimits
  readonly measured?: MeasuredMemory
}

/** What a model is expected to take: by what it took last time, else by its files. */
export function estimateModel({ limits, measured }: Sources, descriptor: ModelDescriptor): MemoryEstimate {
  const { textSlots, memoryBytes, machineBytes = memoryBytes } = limits
  const { gpuBytes } = memoryBudget(limits)
  const estimate = estimateMemory(descriptor, { textSlots, machineBytes: Math.min(machineBytes, memoryBytes), gpuBytes })
  const last = measured?.find(descriptor.id, conditionsOf(descriptor, limits))
  return last === undefined ? estimate : correctEstimate(estimate, last)
}

/** Remembers what a model took, where it took anything here. */
export async function rememberMemory(
  { limits, measured }: Sources,
  descriptor: ModelDescriptor | undefined,
  memory: MemoryNeed,
): Promise<void> {
  if (descriptor === undefined || memory.processorBytes === 0) return
  await measured?.note(descriptor.id, conditionsOf(descriptor, limits), memory)
}

/** All that the memory of a model depends on besides its name. */
function conditionsOf(descriptor: ModelDescriptor, { textSlots, memoryBytes, gpuMemoryBytes }: ResidencyLimits): string {
  const own = descriptor.kind === 'text' ? [descriptor.contextLength, textSlots] : [descriptor.refiner]
  return JSON.stringify([descriptor.bytes, memoryBytes, gpuMemoryBytes ?? null, ...own])
}
