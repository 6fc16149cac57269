import type { SkipLayerGuidance } from '../../core/image-generation.ts'
import type { Sampler } from '../../core/sampler.ts'
import type { Drawing } from './denoise.ts'
import type { DiffusionPipeline } from './diffusion-pipeline.ts'
import { TorchGenerator } from './noise/torch-generator.ts'
import type { PixelSize } from './pictures/rgb-image.ts'
import type { EncodedPrompt, PromptEncoding } from './prompts/encode-prompts.ts'
import { linear } from './schedulers/prediction.ts'
import { prepareSolver } from './schedulers/samplers.ts'
import type { SchedulerConfig } from './schedulers/scheduler-config.ts'
import type { Solver } from './schedulers/solver.ts'
import { type StartingLatents, type StartingPicture, startFromPicture } from './start-from-picture.ts'
import type { Conditioning, LatentSize, PlacedLatents } from './unet/conditioning.ts'
import type { Guidance, GuidanceBounds } from './unet/guided-unet.ts'
import type { NoisePredictor } from './unet/noise-predictor.ts'

export interface DrawingSettings extends PixelSize {
  readonly sampler: Sampler
  /** The model's own, or with some options replaced. */
  readonly scheduler: SchedulerConfig
  readonly steps: number
  readonly seed: number
  readonly guidanceScale: number
  readonly embeddedGuidance?: number
  readonly guidanceRescale: number
  readonly bounds?: GuidanceBounds | undefined
  readonly skipLayers?: SkipLayerGuidance | undefined
  readonly prompts: PromptEncoding
  readonly start: StartingPicture | StartingLatents | null
  /** Pictures that the model sees beside its drawing; absent = none. */
  readonly references?: readonly PlacedLatents[]
}

/**
 * Makes the noise of one image and everything its denoising needs. Noise is drawn from the seed in diffusers' order:
 * the encoded picture's sample, the first noise, the masked picture's sample, then the sampler's own.
 *
 * @throws {ServiceError} `unsupported` for a starting picture where the model has no VAE encoder; `validation_error`
 *   when no step is left.
 */
export async function prepareDrawing(pipeline: DiffusionPipeline, settings: DrawingSettings): Promise<Drawing> {
  const { steps, guidanceScale, embeddedGuidance, guidanceRescale, bounds, skipLayers } = settings
  const size = sizeOf(pipeline, settings)
  const solver = prepareSolver(settings.sampler, settings.scheduler, steps, settings)
  const generator = new TorchGenerator(settings.seed)
  const { start } = settings
  const begun =
    start === null
      ? { begin: 0, latents: firstNoise(solver, size, generator), inpainting: null, shown: null, references: [] }
      : await startFromPicture(pipeline, { solver, steps, generator, size, start })
  return {
    ...begun,
    references: [...(begun.references ?? []), ...(settings.references ?? [])],
    ...conditionings(pipeline.base, settings),
    solver,
    end: solver.timesteps.length,
    size,
    guidanceScale,
    ...(embeddedGuidance !== undefined && { embeddedGuidance }),
    guidanceRescale,
    bounds,
    ...(skipLayers && { skipping: { ...skipLayers, evaluations: solver.timesteps.length - begun.begin } }),
    generator,
  }
}

/** The latents of a picture of so many pixels. */
export function sizeOf({ vae }: Pick<DiffusionPipeline, 'vae'>, { width, height }: PixelSize): LatentSize {
  return { channels: vae.channels, height: height / vae.factor, width: width / vae.factor }
}

function firstNoise({ initialNoiseScale }: Solver, size: LatentSize, generator: TorchGenerator): Float32Array {
  return linear([initialNoiseScale, generator.normal(size.channels * size.height * size.width)])
}

/** Texts and sizes as a UNet takes them. */
export function conditionings(
  { scored, additions }: NoisePredictor,
  { prompts, ...size }: PixelSize & { readonly prompts: PromptEncoding },
): Pick<Guidance, 'positive' | 'negative' | 'additions'> {
  const condition = (prompt: EncodedPrompt, negative: boolean): Conditioning => ({
    ...prompt,
    timeIds: scored ? refinerTimeIds(size, { negative }) : baseTimeIds(size),
  })
  return {
    positive: condition(prompts.positive, false),
    negative: prompts.negative === null ? null : condition(prompts.negative, true),
    additions,
  }
}

/**
 * The size conditioning of SDXL: original size, crop corner and target size, each height before width.
 *
 * @see Podell et al. 2023, arXiv:2307.01952, section 2.2
 */
function baseTimeIds({ width, height }: PixelSize): readonly number[] {
  return [height, width, 0, 0, height, width]
}

/** The conditioning of a refiner: original size, crop corner and how good the picture should look, 1 to 10. */
function refinerTimeIds({ width, height }: PixelSize, { negative }: { readonly negative: boolean }): readonly number[] {
  return [height, width, 0, 0, negative ? 2.5 : 6]
}
