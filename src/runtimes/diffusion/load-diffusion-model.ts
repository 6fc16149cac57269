import type { ImageModelDescriptor } from '../../core/model.ts'
import type { ImageModel } from '../../core/ports/image-model.ts'
import { loadDiffusionPipeline } from './diffusion-pipeline.ts'
import { generateImages } from './generate-images.ts'

/**
 * Loads an SDXL model in the official ONNX layout into this process.
 *
 * @param options.threads Threads of the tensor runtime.
 * @throws {ServiceError} `inference_failed` naming the file, input or shape that does not fit.
 */
export async function loadDiffusionModel(
  descriptor: ImageModelDescriptor,
  options: { readonly threads: number; readonly signal: AbortSignal },
): Promise<ImageModel & AsyncDisposable> {
  const pipeline = await loadDiffusionPipeline(descriptor.folder, options)
  return {
    generate: (request, run) => generateImages({ pipeline, descriptor }, request, run),
    [Symbol.asyncDispose]: () => pipeline[Symbol.asyncDispose](),
  }
}
