import { ServiceError } from '../../../core/error.ts'
import type { GeneratedImage } from '../../../core/image-generation.ts'
import type { ImageModelDescriptor, UpscalerFacts } from '../../../core/model.ts'
import type { ImageModel } from '../../../core/ports/image-model.ts'
import { deviceOf, type ExecutionProvider } from '../onnx/choose-provider.ts'
import { decodePicture } from '../pictures/decode-image.ts'
import { encodeImage } from '../pictures/encode-image.ts'
import { readImageHeader } from '../pictures/image-header.ts'
import { resizeRgb } from '../pictures/resize-image.ts'
import { type PixelSize, toPlanes, toRgb } from '../pictures/rgb-image.ts'
import { openUpscaler } from './upscaler.ts'

/** Loads a network that enlarges pictures as a model whose requests bring one. */
export async function loadUpscalerModel(
  { id }: Pick<ImageModelDescriptor, 'id'>,
  { weights }: UpscalerFacts,
  options: { readonly threads: number; readonly provider: ExecutionProvider },
): Promise<ImageModel & AsyncDisposable> {
  const upscaler = await openUpscaler(weights, options)
  return {
    device: deviceOf(options.provider),
    async generate() {
      throw new ServiceError('unsupported', `${id} only enlarges images: use /upscaling.`, { param: 'model' })
    },
    async enlarge({ image: file, width, height, encoding }, { signal, onProgress }) {
      const started = performance.now()
      const small = toPlanes(await decodePicture(file, shownPart(await readImageHeader(file, { signal }), { width, height }), { signal }))
      const total = upscaler.tiles(small)
      const planes = await upscaler.enlarge(small, { signal, onTile: (step) => onProgress({ step, total }) })
      const large = toRgb(planes, { what: `The upscaler ${id}`, param: 'model' })
      const fits = large.width === width && large.height === height
      const parameters = `Upscaled by: ${id}, Size: ${width}x${height}`
      const bytes = await encodeImage(fits ? large : await resizeRgb(large, { width, height }), { encoding, parameters })
      const image: GeneratedImage = { bytes, encoding, width, height, seed: 0, removedForSafety: false, safetyScore: null }
      return { images: [image], computeMs: performance.now() - started }
    },
    [Symbol.asyncDispose]: () => upscaler[Symbol.asyncDispose](),
  }
}

/** The size of the largest part of a picture that has the proportions of another size. */
function shownPart(picture: PixelSize, { width, height }: PixelSize): PixelSize {
  const share = Math.min(picture.width / width, picture.height / height)
  return { width: Math.max(1, Math.round(width * share)), height: Math.max(1, Math.round(height * share)) }
}
