import type { DiffusionPipeline } from './diffusion-pipeline.ts'
import type { LatentSize } from './unet.ts'
import { toDecoderScale } from './vae-config.ts'
import type { PixelPlanes } from './vae-decoder.ts'

/** The picture that denoised latents stand for. */
export function decodeLatents({ decoder, vae }: DiffusionPipeline, latents: Float32Array, size: LatentSize): Promise<PixelPlanes> {
  return decoder.decode(toDecoderScale(latents, vae), size)
}
