import { printByteSize } from '../core/byte-size.ts'
import { ServiceError } from '../core/error.ts'
import { findFittingQuantization } from '../core/memory/fitting-quantization.ts'
import type { MemoryNeed } from '../core/memory/memory-need.ts'
import type { ModelDescriptor } from '../core/model.ts'
import type { ResidencyLimits } from './residency-limits.ts'

/** The error of who wants a model that all the memory there may be is too little for: the figures, and what would fit. */
export function makeTooLargeError(descriptor: ModelDescriptor, least: MemoryNeed, limits: ResidencyLimits): ServiceError {
  const onGpu = least.processorBytes <= limits.memoryBytes
  const [need, free] = onGpu ? [least.gpuBytes, limits.gpuMemoryBytes ?? 0] : [least.processorBytes, limits.memoryBytes]
  const figures = `The model ${descriptor.id} needs at least ${printByteSize(need)} of ${onGpu ? "the GPU's" : 'the'} memory, and models may take ${printByteSize(free)}`
  const fixes = onGpu
    ? ['set gpu to off to run it on the processor']
    : [...raiseMemory(need, limits), ...takeSmaller(descriptor, free - (need - descriptor.bytes))]
  const fix = fixes.length === 0 ? 'run it on a machine with more' : fixes.join(', or ')
  return new ServiceError('unsupported', `${figures}; ${fix}.`, { param: 'model' })
}

/** What the machine itself does not have, no setting gives. */
function raiseMemory(need: number, { machineBytes }: ResidencyLimits): readonly string[] {
  const whole = Math.ceil(need / 1024 ** 2)
  return machineBytes === undefined || whole * 1024 ** 2 > machineBytes ? [] : [`start with --memory ${whole}mb`]
}

function takeSmaller(descriptor: ModelDescriptor, bytes: number): readonly string[] {
  if (descriptor.kind === 'image') return descriptor.format === 'safetensors' ? [] : ['take an fp16 export of it']
  const parameters = descriptor.weights?.parameters ?? 0
  const fitting = parameters === 0 ? null : findFittingQuantization(parameters, bytes)
  return fitting === null ? ['take a smaller model'] : [`take its quantization ${fitting.name} (about ${printByteSize(fitting.bytes)})`]
}
