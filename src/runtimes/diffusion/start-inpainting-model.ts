import type { DiffusionPipeline } from './diffusion-pipeline.ts'
import type { TorchGenerator } from './noise/torch-generator.ts'
import { linear } from './schedulers/prediction.ts'
import { type Solver, startAt } from './schedulers/solver.ts'
import { encodePixels } from './vae/latent-colours.ts'
import type { PixelPlanes } from './vae/vae-decoder.ts'
import { floatAt } from './value-at.ts'

export interface InpaintingStart {
  readonly solver: Solver
  readonly generator: TorchGenerator
  /** Evaluation the solver starts at. */
  readonly begin: number
  readonly picture: PixelPlanes
  readonly strength: number
  /** Per pixel, 1 = repaint. */
  readonly mask: Float32Array
  /** The same per latent pixel. */
  readonly latentMask: Float32Array
}

/**
 * Where a UNet that was made for inpainting begins: it is shown the mask and the picture without what the mask covers.
 * At full strength the picture itself is not encoded, which moves the stream of noise, as in diffusers.
 */
export async function startInpaintingModel(
  pipeline: DiffusionPipeline,
  { solver, generator, begin, picture, strength, mask, latentMask }: InpaintingStart,
): Promise<{ readonly latents: Float32Array; readonly shown: Float32Array }> {
  const clean = strength === 1 ? null : await encodePixels(pipeline, picture, generator)
  const noise = generator.normal(latentMask.length * pipeline.vae.channels)
  const latents = clean === null ? linear([solver.initialNoiseScale, noise]) : solver.addNoise(startAt(begin), clean, noise)
  const covered = picture.values.map((value, i) => (floatAt(mask, i % mask.length) < 0.5 ? value : 0))
  const rest = await encodePixels(pipeline, { ...picture, values: covered }, generator)
  const shown = new Float32Array(latentMask.length + rest.length)
  shown.set(latentMask.map((value) => (value < 0.5 ? 0 : 1)))
  shown.set(rest, latentMask.length)
  return { latents, shown }
}
