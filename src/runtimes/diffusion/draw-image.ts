import { type DenoisingProgress, type Drawing, denoise } from './denoise.ts'
import type { DiffusionPipeline } from './diffusion-pipeline.ts'
import { conditionings, type DrawingSettings, prepareDrawing } from './prepare-drawing.ts'
import type { PromptEncoding } from './prompts/encode-prompts.ts'
import { roundHalfEven } from './schedulers/levels/timesteps.ts'
import type { Solver } from './schedulers/solver.ts'
import type { LatentSize } from './unet/conditioning.ts'
import type { GuidedUnet } from './unet/guided-unet.ts'
import type { NoisePredictor } from './unet/noise-predictor.ts'
import { decodeLatents } from './vae/latent-colours.ts'
import type { PixelPlanes } from './vae/vae-decoder.ts'

/** The refiner's part in a drawing. */
export interface Refining {
  readonly predictor: NoisePredictor
  readonly prompts: PromptEncoding
  /** Share of the noise range the base model handles, 0 to 1. */
  readonly start: number
}

export interface ImageSettings extends DrawingSettings {
  readonly refining: Refining | null
  /** Replaces the base model's UNet for several drawings in lock step. */
  readonly unet?: Pick<GuidedUnet, 'prepare'>
}

/** Draws one image: the base model's steps, the refiner's, then the decoder. */
export async function drawImage(pipeline: DiffusionPipeline, settings: ImageSettings, options: DrawingOptions): Promise<PixelPlanes> {
  const { latents, size } = await drawLatents(pipeline, settings, options)
  return decodeLatents(pipeline, latents, size)
}

export interface DrawingOptions {
  readonly signal: AbortSignal
  readonly onStep: (progress: DenoisingProgress) => Promise<void>
}

/** The latents of one image: the base model's steps, then the refiner's. */
export async function drawLatents(
  pipeline: DiffusionPipeline,
  { refining, unet = pipeline.base.unet, ...settings }: ImageSettings,
  { signal, onStep }: DrawingOptions,
): Promise<{ readonly latents: Float32Array; readonly size: LatentSize }> {
  const drawing = await prepareDrawing(pipeline, settings)
  const total = drawing.end - drawing.begin
  const stages = refining === null ? [{ unet, drawing }] : twoStages(pipeline, drawing, refining, settings)
  let { latents } = drawing
  let before = 0
  for (const stage of stages) {
    const offset = before
    latents = await denoise(
      stage,
      { ...stage.drawing, latents },
      { signal, onStep: (progress) => onStep({ ...progress, done: offset + progress.done, total }) },
    )
    before += stage.drawing.end - stage.drawing.begin
  }
  return { latents, size: drawing.size }
}

/** The base model until the refiner's first timestep, then the refiner, which starts its solver afresh as diffusers does. */
function twoStages({ base }: DiffusionPipeline, drawing: Drawing, { predictor, prompts, start }: Refining, settings: DrawingSettings) {
  const handover = Math.max(refinerIndex(drawing.solver, settings.scheduler.trainTimesteps, start), drawing.begin)
  const refined = conditionings(predictor, { ...settings, prompts })
  return [
    { unet: base.unet, drawing: { ...drawing, end: handover } },
    { unet: predictor.unet, drawing: { ...drawing, ...refined, begin: handover } },
  ]
}

/**
 * The evaluation at which a refiner takes over.
 *
 * @param start Share of the noise range the base model handles, 0 to 1.
 * @see diffusers' `denoising_end` and `denoising_start`
 */
export function refinerIndex({ timesteps, order }: Solver, trainTimesteps: number, start: number): number {
  const cutoff = roundHalfEven(trainTimesteps - start * trainTimesteps)
  const below = timesteps.filter((timestep) => timestep < cutoff).length
  // A second-order step must not be torn apart: its two evaluations belong to one model.
  const whole = order === 2 && below > 0 && below % 2 === 0 ? below + 1 : below
  return timesteps.length - Math.min(whole, timesteps.length)
}
