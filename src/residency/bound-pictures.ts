import { formatBytes } from '../core/byte-size.ts'
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
    enlarge:
      enlarge &&
      (async (request, options) => {
        refuseTooLarge(request, descriptor, limits)
        return await enlarge(request, options)
      }),
  }
}

/** The native size is always tried: the estimate may be wrong, and the operator chose both memory and model. */
function refuseTooLarge(
  { width, height, highResolution, referencePixels }: Pick<ImageRequest, 'width' | 'height' | 'highResolution' | 'referencePixels'>,
  descriptor: ImageModelDescriptor,
  limits: ResidencyLimits,
): void {
  const { native, id } = descriptor
  const budget = memoryBudget(limits)
  const facts = { machineBytes: budget.processorBytes, gpuBytes: budget.gpuBytes }
  const size = { width, height }
  const need = estimateDrawing(descriptor, { ...size, referencePixels }, facts)
  const own = estimateDrawing(descriptor, native, facts)
  if (fitsMemory(need, budget) || fitsMemory(need, own)) return
  const alone = estimateDrawing(descriptor, size, facts)
  const seesTooMuch = referencePixels !== undefined && (fitsMemory(alone, budget) || fitsMemory(alone, own))
  const onGpu = need.processorBytes <= budget.processorBytes
  const [bytes, free] = onGpu ? [need.gpuBytes, budget.gpuBytes] : [need.processorBytes, budget.processorBytes]
  const [field, fix] = seesTooMuch
    ? ['reference_images', 'send fewer or smaller reference images']
    : highResolution === undefined
      ? ['width', 'request a smaller image']
      : ['hr_scale', 'lower `hr_scale`, or request a smaller image']
  const beside = seesTooMuch ? ' with its reference images' : ''
  const message = `An image of ${width} × ${height} by ${id}${beside} needs about ${formatBytes(bytes)} of ${onGpu ? 'GPU ' : ''}memory, but models may use only ${formatBytes(free)}; ${fix}.`
  throw new ServiceError('unsupported', message, { param: field })
}
