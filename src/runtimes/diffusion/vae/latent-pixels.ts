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
  const scaled = toDecoderScale(latents, size, vae)
  const pixels = size.width * size.height * vae.factor ** 2
  return pixels > maxWholePixels
    ? decodeTiled(decoder, scaled.values, scaled.size, { factor: vae.factor / vae.patchSide })
    : decoder.decode(scaled.values, scaled.size)
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
  const factor = vae.factor / vae.patchSide
  const whole = picture.width * picture.height <= maxWholePixels
  const distribution = whole ? await encoder.encode(picture) : await encodeTiled(encoder, picture, { factor })
  const values = vae.patchSide === 1 ? encoder.draw(distribution, generator) : encoder.mean(distribution)
  const size = { channels: vae.channels / vae.patchSide ** 2, height: picture.height / factor, width: picture.width / factor }
  return toModelScale({ values, size }, vae)
}
