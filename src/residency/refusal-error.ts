import { formatBytes } from '../core/byte-size.ts'
import { ServiceError } from '../core/error.ts'
import { findFittingQuantization, type MemoryNeed } from '../core/memory/estimate-memory.ts'
import { findFittingTransformer } from '../core/memory/image-parts.ts'
import type { ModelDescriptor } from '../core/model.ts'
import type { Refusal, ResidencyLimits, ResidentModel } from './residency-state.ts'

/** The error for a refused caller. @param why.holders Loaded models that leave too little memory; empty if the model itself is loaded. */
export function makeRefusalError(
  modelId: string,
  { because, retryAfterSeconds }: Refusal & { readonly because: Exclude<Refusal['because'], 'too-large' | 'still-loading'> },
  { cause, holders }: { readonly cause: unknown; readonly holders: readonly string[] },
): ServiceError {
  const again = `try again in ${retryAfterSeconds} s.`
  switch (because) {
    case 'queue-full':
      return new ServiceError('server_is_overloaded', `Too many requests wait for the model ${modelId}; ${again}`, { retryAfterSeconds })
    case 'share-full':
      return new ServiceError(
        'concurrency_limit_exceeded',
        `This account has reached its limit of waiting requests for the model ${modelId} (its share of the queue, account-share); ${again}`,
        { retryAfterSeconds },
      )
    case 'waited-too-long':
      if (holders.length > 0)
        return new ServiceError(
          'server_is_overloaded',
          `There is no memory for the model ${modelId} while others are in use: ${holders.join(', ')}; unload one of them, or ${again}`,
          { retryAfterSeconds },
        )
      return new ServiceError('server_is_overloaded', `The model ${modelId} was too busy for this request; ${again}`, { retryAfterSeconds })
    case 'backing-off':
      return new ServiceError('model_loading', `The model ${modelId} stopped or could not be loaded (the log says why); ${again}`, {
        retryAfterSeconds,
        cause,
      })
    case 'unloadable':
      return new ServiceError(
        'inference_failed',
        `The model ${modelId} cannot be loaded (the log says why); report it to the operator, or use another model.`,
        {
          retryAfterSeconds,
          cause,
        },
      )
    case 'closing':
      return new ServiceError('shutting_down', 'The service is stopping; try again when it is back.', { retryAfterSeconds })
  }
}

/** The error for a model larger than all memory for models: the sizes, and what would fit. */
export function makeTooLargeError(descriptor: ModelDescriptor, least: MemoryNeed, limits: ResidencyLimits): ServiceError {
  const onGpu = least.processorBytes <= limits.memoryBytes
  const [need, free] = onGpu ? [least.gpuBytes, limits.gpuMemoryBytes ?? 0] : [least.processorBytes, limits.memoryBytes]
  const figures = `The model ${descriptor.id} needs at least ${formatBytes(need)} of ${onGpu ? 'GPU ' : ''}memory, but models may use only ${formatBytes(free)}`
  const fixes = onGpu
    ? ['set gpu to off to run it on the processor']
    : [...raiseMemory(need, limits), ...takeSmaller(descriptor, { bytes: free - (need - descriptor.bytes), budget: free })]
  const fix = fixes.length === 0 ? 'run it on a machine with more' : fixes.join(', or ')
  return new ServiceError('unsupported', `${figures}; ${fix}.`, { param: 'model' })
}

/** Suggests a setting only if the machine has that much memory. */
function raiseMemory(need: number, { machineBytes }: ResidencyLimits): readonly string[] {
  const whole = Math.ceil(need / 1024 ** 2)
  return machineBytes === undefined || whole * 1024 ** 2 > machineBytes ? [] : [`start with --memory ${whole}mb`]
}

function takeSmaller(
  descriptor: ModelDescriptor,
  { bytes, budget }: { readonly bytes: number; readonly budget: number },
): readonly string[] {
  if (descriptor.kind === 'image') {
    if (descriptor.format !== 'safetensors') return ['use an fp16 export of it']
    const { parts, weights: file = '' } = descriptor.checkpoint ?? {}
    const smaller = parts === undefined || /\.gguf$/iu.test(file) ? null : findFittingTransformer(parts, budget)
    return smaller === null ? [] : [`use a ${smaller.name} GGUF file of its transformer (about ${formatBytes(smaller.bytes)})`]
  }
  const parameters = descriptor.weights?.parameters ?? 0
  const fitting = parameters === 0 ? null : findFittingQuantization(parameters, bytes)
  return fitting === null ? ['use a smaller model'] : [`use its quantization ${fitting.name} (about ${formatBytes(fitting.bytes)})`]
}

/** Maximum value of `Retry-After`. */
const longestSeconds = 120

/** Estimated seconds until waiting requests are done, from recent slot times; 1 to 120. */
export function estimateRetryAfter({ waiting, slots, meanHeldMs }: Pick<ResidentModel, 'waiting' | 'slots' | 'meanHeldMs'>): number {
  return toSeconds((waiting.length * meanHeldMs) / slots)
}

/** Whole seconds for `Retry-After`, 1 to 120. */
export function toSeconds(ms: number): number {
  return Math.min(longestSeconds, Math.max(1, Math.ceil(ms / 1000)))
}
