import { chooseThreads, type DeviceChoice } from '../../core/compute-device.ts'
import { planParts } from '../../core/memory/image-parts.ts'
import type { ImageModelDescriptor } from '../../core/model.ts'
import type { ImageModel } from '../../core/ports/image-model.ts'
import { loadCheckpointPipeline } from './checkpoint/load-checkpoint-pipeline.ts'
import { RecentNetworks } from './checkpoint/recent-networks.ts'
import { loadDiffusionPipeline } from './diffusion-pipeline.ts'
import { generateImages } from './generate-images.ts'
import { chooseProvider, deviceOf } from './onnx/choose-provider.ts'
import { loadUpscalerModel } from './upscaling/load-upscaler-model.ts'
import { openUpscaler, type Upscaler } from './upscaling/upscaler.ts'
import { PreviewPainter } from './vae/preview-painter.ts'

/** Upscalers between two passes that stay in memory. */
const maxUpscalers = 1

/**
 * Loads an image model, exported or a checkpoint, into this process.
 *
 * @param options.threads Threads of the tensor runtime.
 * @param options.memoryBytes What it may take; no limit where it is left out.
 * @param options.gpu `off` where it is left out.
 * @throws {ServiceError} `inference_failed` naming the file, input, tensor or shape that does not fit.
 */
export async function loadDiffusionModel(
  descriptor: ImageModelDescriptor,
  {
    threads: allowed,
    gpu = 'off',
    gpuDevice = null,
    memoryBytes = Number.POSITIVE_INFINITY,
    signal,
  }: { readonly threads: number; readonly memoryBytes?: number; readonly signal: AbortSignal } & Partial<DeviceChoice>,
): Promise<ImageModel & AsyncDisposable> {
  const provider = await chooseProvider({ gpu, gpuDevice })
  const threads = chooseThreads(allowed, { wholeOnGpu: provider !== 'cpu' })
  const { folder, refiner, checkpoint } = descriptor
  const inTurn = provider === 'cpu' && planParts(descriptor, memoryBytes).inTurn
  const options = { threads, provider, refiner, inTurn, signal }
  if (descriptor.upscaler !== undefined) return loadUpscalerModel(descriptor, descriptor.upscaler, { threads, provider })
  const pipeline =
    checkpoint === undefined ? await loadDiffusionPipeline(folder, options) : await loadCheckpointPipeline(checkpoint, options)
  const upscalers = new RecentNetworks<Upscaler>(maxUpscalers)
  const openFile = (path: string) => upscalers.get(path, () => openUpscaler(path, { threads, provider }))
  const generation = { pipeline, descriptor, previews: new PreviewPainter(pipeline), openUpscaler: openFile }
  return {
    device: deviceOf(provider),
    generate: (request, options) => generateImages(generation, request, options),
    async [Symbol.asyncDispose]() {
      await upscalers[Symbol.asyncDispose]()
      await pipeline[Symbol.asyncDispose]()
    },
  }
}
