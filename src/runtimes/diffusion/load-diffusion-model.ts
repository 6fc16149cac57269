import type { ImageModelDescriptor } from '../../core/model.ts'
import type { ImageModel } from '../../core/ports/image-model.ts'
import { loadDiffusionPipeline } from './diffusion-pipeline.ts'
import { generateImages } from './generate-images.ts'
import { PreviewPainter } from './vae/preview-painter.ts'

/**
 * Loads an SDXL model in the official ONNX layout into this process.
 *
 * @param options.threads Threads of the tensor runtime.
 * @throws {ServiceError} `inference_failed` naming the file, input or shape that does not fit.
 */
export async function loadDiffusionModel(
  descriptor: ImageModelDescriptor,
  { threads, signal }: { readonly threads: number; readonly signal: AbortSignal },
): Promise<ImageModel & AsyncDisposable> {
  const pipeline = await loadDiffusionPipeline(descriptor.folder, { threads, refiner: descriptor.refiner, signal })
  const generation = { pipeline, descriptor, previews: new PreviewPainter(pipeline) }
  return {
    generate: (request, options) => generateImages(generation, request, options),
    [Symbol.asyncDispose]: () => pipeline[Symbol.asyncDispose](),
  }
}
