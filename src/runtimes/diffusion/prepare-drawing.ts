import type { Sampler } from '../../core/sampler.ts'
import type { Drawing, Inpainting } from './denoise.ts'
import type { DiffusionPipeline } from './diffusion-pipeline.ts'
import type { EncodedPrompt, PromptEncoding } from './encode-prompts.ts'
import { missingEncoder } from './missing-encoder.ts'
import type { SchedulerConfig } from './scheduler-config.ts'
import { linear } from './schedulers/linear.ts'
import { samplerSolvers } from './schedulers/samplers.ts'
import { type Solver, startAt } from './schedulers/solver.ts'
import { baseTimeIds, refinerTimeIds } from './time-ids.ts'
import { TorchGenerator } from './torch-generator.ts'
import type { Conditioning, LatentSize } from './unet.ts'
import { toModelScale } from './vae-config.ts'
import type { PixelPlanes } from './vae-decoder.ts'

/** A picture to start from, and what of it to repaint. */
export interface StartingPicture {
  readonly picture: PixelPlanes
  /** How much to change, over 0 and up to 1. */
  readonly strength: number
  /** Per pixel, 1 = repaint; null = the whole picture. */
  readonly mask: Float32Array | null
}

export interface DrawingSettings {
  readonly sampler: Sampler
  /** The model's own, or with some options replaced. */
  readonly scheduler: SchedulerConfig
  readonly steps: number
  readonly seed: number
  /** Pixels, multiples of the VAE's factor. */
  readonly width: number
  readonly height: number
  readonly guidanceScale: number
  readonly prompts: PromptEncoding
  readonly start: StartingPicture | null
}

/**
 * Makes the noise of one image and everything its denoising needs. Noise is drawn from the seed in diffusers' order:
 * the encoded picture's sample, the first noise, the masked picture's sample, then the sampler's own.
 */
export async function prepareDrawing(pipeline: DiffusionPipeline, settings: DrawingSettings): Promise<Drawing> {
  const { vae, isRefiner } = pipeline
  const size: LatentSize = { channels: vae.channels, height: settings.height / vae.factor, width: settings.width / vae.factor }
  const count = size.channels * size.height * size.width
  const solver = samplerSolvers[settings.sampler](settings.scheduler, settings.steps)
  const generator = new TorchGenerator(settings.seed)
  const conditioning = (prompt: EncodedPrompt, negative: boolean): Conditioning => ({
    ...prompt,
    timeIds: isRefiner ? refinerTimeIds(settings, { negative }) : baseTimeIds(settings),
  })
  const begun =
    settings.start === null
      ? {
          begin: 0,
          latents: linear([solver.initialNoiseScale, generator.normal(count)]),
          inpainting: null,
        }
      : await startFromPicture(pipeline, { solver, steps: settings.steps, generator, size, start: settings.start })
  return {
    ...begun,
    solver,
    end: solver.timesteps.length,
    size,
    positive: conditioning(settings.prompts.positive, false),
    negative: settings.prompts.negative === null ? null : conditioning(settings.prompts.negative, true),
    guidanceScale: settings.guidanceScale,
    generator,
  }
}

interface PictureStart {
  readonly solver: Solver
  readonly steps: number
  readonly generator: TorchGenerator
  readonly size: LatentSize
  readonly start: StartingPicture
}

async function startFromPicture(
  { encoder, vae }: DiffusionPipeline,
  { solver, steps, generator, size, start }: PictureStart,
): Promise<{ readonly begin: number; readonly latents: Float32Array; readonly inpainting: Inpainting | null }> {
  if (encoder === null) throw missingEncoder()
  const { picture, strength, mask } = start
  const skipped = steps - Math.min(Math.floor(steps * strength), steps)
  const begin = skipped * solver.order
  const clean = toModelScale(await encoder.encode(picture, generator), vae)
  const noise = generator.normal(clean.length)
  if (mask === null) return { begin, latents: solver.addNoise(startAt(begin), clean, noise), inpainting: null }
  const latents = strength === 1 ? linear([solver.initialNoiseScale, noise]) : solver.addNoise(startAt(begin), clean, noise)
  // diffusers also encodes the masked picture, which moves the stream of noise on even where the UNet does not take it.
  await encoder.encode(maskedPicture(picture, mask), generator)
  return { begin, latents, inpainting: { clean, noise, mask: toLatentSize(mask, picture, size) } }
}

/** The picture with what is to be repainted set to middle grey. */
function maskedPicture(picture: PixelPlanes, mask: Float32Array): PixelPlanes {
  return { ...picture, values: picture.values.map((value, i) => ((mask[i % mask.length] ?? 0) < 0.5 ? value : 0)) }
}

/** The mask's nearest value for each latent pixel. */
function toLatentSize(mask: Float32Array, { width, height }: PixelPlanes, size: LatentSize): Float32Array {
  const small = new Float32Array(size.width * size.height)
  for (let y = 0; y < size.height; y++) {
    const row = Math.floor((y * height) / size.height) * width
    for (let x = 0; x < size.width; x++) small[y * size.width + x] = mask[row + Math.floor((x * width) / size.width)] ?? 0
  }
  return small
}
