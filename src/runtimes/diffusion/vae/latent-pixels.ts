import { ServiceError } from '../../../core/error.ts'
import type { DiffusionPipeline } from '../diffusion-pipeline.ts'
import type { TorchGenerator } from '../noise/torch-generator.ts'
import type { LatentSize } from '../unet/conditioning.ts'
import { decodeTiled, encodeTiled } from './tiled-vae.ts'
import { toDecoderScale, toModelScale } from './vae-config.ts'
import type { PixelPlanes } from './vae-decoder.ts'

/** Pictures with more pixels go through the VAE in tiles, so that its memory stays bounded. */
const maxWholePixels = 1024 * 1024

/** The picture that denoised latents stand for. */
export function decodeLatents({ decoder, vae }: DiffusionPipeline, latents: Float32Array, size: LatentSize): Promise<PixelPlanes> {
  const scaled = toDecoderScale(latents, vae)
  const pixels = size.width * size.height * vae.factor ** 2
  return pixels > maxWholePixels ? decodeTiled(decoder, scaled, size, { factor: vae.factor }) : decoder.decode(scaled, size)
}

/**
 * A picture as the model's latents; draws from `generator` where the VAE leaves the drawing to us.
 *
 * @throws {ServiceError} `unsupported` when the model has no VAE encoder.
 */
export async function encodePixels(
  { encoder, vae }: DiffusionPipeline,
  picture: PixelPlanes,
  generator: TorchGenerator,
): Promise<Float32Array> {
  if (encoder === null)
    throw new ServiceError('unsupported', 'This model cannot start from an image: leave out init_image.', { param: 'init_image' })
  const whole = picture.width * picture.height <= maxWholePixels
  const distribution = whole ? await encoder.encode(picture) : await encodeTiled(encoder, picture, { factor: vae.factor })
  return toModelScale(encoder.draw(distribution, generator), vae)
}
