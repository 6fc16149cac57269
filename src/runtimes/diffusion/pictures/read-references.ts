import type { ImageRequest } from '../../../core/image-generation.ts'
import { referenceSize } from '../../../core/images/references.ts'
import type { Abortable } from '../../../core/waiting.ts'
import type { DiffusionPipeline } from '../diffusion-pipeline.ts'
import { TorchGenerator } from '../noise/torch-generator.ts'
import { sizeOf } from '../prepare-drawing.ts'
import type { PlacedLatents } from '../unet/conditioning.ts'
import { encodePixels } from '../vae/latent-colours.ts'
import type { PixelPlanes } from '../vae/vae-decoder.ts'
import { decodePicture } from './decode-image.ts'
import { readImageHeader } from './image-header.ts'
import { toPlanes } from './rgb-image.ts'

/**
 * Decodes the pictures that a model sees beside its drawing, each in its own proportions.
 *
 * @throws {ServiceError} `validation_error` for one that does not decode.
 */
export async function readReferences(
  { references = [] }: Pick<ImageRequest, 'references'>,
  { base, vae }: Pick<DiffusionPipeline, 'base' | 'vae'>,
  options: Abortable,
): Promise<readonly PixelPlanes[]> {
  const read: PixelPlanes[] = []
  for (const bytes of references) {
    const size = referenceSize(await readImageHeader(bytes, options), vae.factor * base.latentStep)
    read.push(toPlanes(await decodePicture(bytes, size, options)))
  }
  return read
}

/** Encodes them, once for all images of a request: where models see references, the encoder draws nothing from a seed. */
export async function encodeReferences(
  pipeline: DiffusionPipeline,
  pictures: readonly PixelPlanes[],
  { signal }: Abortable,
): Promise<readonly PlacedLatents[]> {
  const encoded: PlacedLatents[] = []
  for (const picture of pictures) {
    signal.throwIfAborted()
    encoded.push({ values: await encodePixels(pipeline, picture, new TorchGenerator(0)), size: sizeOf(pipeline, picture) })
  }
  return encoded
}
