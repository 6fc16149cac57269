import { printByteSize } from '../core/byte-size.ts'
import { ServiceError } from '../core/error.ts'
import type { ImageRequest } from '../core/image-generation.ts'
import { estimateDrawing, fitsMemory } from '../core/memory/estimate-memory.ts'
import type { ImageModelDescriptor } from '../core/model.ts'
import type { ImageModel } from '../core/ports/image-model.ts'
import { memoryBudget, type ResidencyLimits } from './residency-state.ts'

/** Wraps an image model to refuse pictures that exceed the memory for models; they would crash its engine and other models. */
export function boundPictures(
  { device, generate, enlarge }: ImageModel,
  descriptor: ImageModelDescriptor,
  limits: ResidencyLimits,
): ImageModel {
  return {
    device,
    async generate(request, options) {
      refuseTooLarge(request, descriptor, limits)
      return await generate(request, options)
    },
    ...(enlarge && {
      async enlarge(request, options) {
        refuseTooLarge(request, descriptor, limits)
        return await enlarge(request, options)
      },
    }),
  }
}

/** The native size is always tried: the estimate may be wrong, and the operator chose both memory and model. */
function refuseTooLarge(
  { width, height, highResolution }: Pick<ImageRequest, 'width' | 'height' | 'highResolution'>,
  descriptor: ImageModelDescriptor,
  limits: ResidencyLimits,
): void {
  const { native, id } = descriptor
  const budget = memoryBudget(limits)
  const facts = { machineBytes: budget.processorBytes, gpuBytes: budget.gpuBytes }
  const need = estimateDrawing(descriptor, { width, height }, facts)
  if (fitsMemory(need, budget) || fitsMemory(need, estimateDrawing(descriptor, native, facts))) return
  const onGpu = need.processorBytes <= budget.processorBytes
  const [bytes, free] = onGpu ? [need.gpuBytes, budget.gpuBytes] : [need.processorBytes, budget.processorBytes]
  const field = highResolution === undefined ? 'width' : 'hr_scale'
  const fix = highResolution === undefined ? 'ask for a smaller picture' : 'lower `hr_scale`, or ask for a smaller picture'
  const message = `A picture of ${width} × ${height} by ${id} needs about ${printByteSize(bytes)} of ${onGpu ? "the GPU's" : 'the'} memory, and models may take ${printByteSize(free)}; ${fix}.`
  throw new ServiceError('unsupported', message, { param: field })
}
