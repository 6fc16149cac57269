import { join } from 'node:path'
import sharp from 'sharp'
import { type GuidanceScales, guidanceScales } from '../../../src/core/images/guidance-scales.ts'
import type { Abortable } from '../../../src/core/waiting.ts'
import type { DiffusionPipeline } from '../../../src/runtimes/diffusion/diffusion-pipeline.ts'
import { drawLatents } from '../../../src/runtimes/diffusion/draw-image.ts'
import type { JsonRecord } from '../../../src/runtimes/diffusion/onnx/model-file.ts'
import { encodeReferences } from '../../../src/runtimes/diffusion/pictures/read-references.ts'
import { type RgbImage, toPlanes, toRepaintMask, toRgb } from '../../../src/runtimes/diffusion/pictures/rgb-image.ts'
import type { PromptsToEncode } from '../../../src/runtimes/diffusion/prompts/encode-prompts.ts'
import { plainPair } from '../../../src/runtimes/diffusion/prompts/request-prompts.ts'
import { parseFlowSchedule } from '../../../src/runtimes/diffusion/schedulers/levels/flow-sigmas.ts'
import { parseSchedulerConfig, type SchedulerConfig } from '../../../src/runtimes/diffusion/schedulers/scheduler-config.ts'
import type { StartingPicture } from '../../../src/runtimes/diffusion/start-from-picture.ts'
import type { NoisePredictor } from '../../../src/runtimes/diffusion/unet/noise-predictor.ts'
import type { UsedAssets } from '../../../src/runtimes/diffusion/used-assets.ts'
import { decodeLatents } from '../../../src/runtimes/diffusion/vae/latent-colours.ts'
import { toDecoderScale } from '../../../src/runtimes/diffusion/vae/vae-config.ts'
import type { ReferencePipeline } from './open-pipeline.ts'
import type { ReferenceCase } from './reference-case.ts'

/** Deviation of a replayed case from its reference. */
export interface Deviation {
  /** Largest latent error over the reference's range; passes up to 1e-3. */
  readonly latents: number
  /** Largest difference of a colour value, of 255; passes up to 1. */
  readonly pixels: number
}

const deviationLimits: Deviation = { latents: 1e-3, pixels: 1 }

/** Whether a deviation is within the limits; NaN is not. */
export function isWithinLimits({ latents, pixels }: Deviation): boolean {
  return latents <= deviationLimits.latents && pixels <= deviationLimits.pixels
}

/** Runs a reference case exactly as diffusers did: no prompt syntax, long prompts cut, no resizing. */
export async function replayCase(
  { pipeline: plain, schedulerJson, folder }: Pick<ReferencePipeline, 'pipeline' | 'schedulerJson' | 'folder'>,
  reference: ReferenceCase,
  { signal }: Abortable,
): Promise<Deviation> {
  const pipeline = { ...plain, ...(await plain.adapt?.(await assetsOf(reference, folder), { signal })) }
  const refiner = reference.refiner === null ? null : pipeline.refiner
  const step = pipeline.scheduler.flow === null ? 1 : pipeline.vae.factor * pipeline.base.latentStep
  const { guided: _, ...scales } = scalesOf(pipeline.base, reference)
  const { latents, size } = await drawLatents(
    pipeline,
    {
      sampler: reference.sampler,
      scheduler: schedulerOf(plain, schedulerJson, reference),
      steps: reference.steps,
      seed: reference.seed,
      // Transformers draw patches of 2 × 2 latent pixels; diffusers leaves out what is over.
      width: Math.floor(reference.width / step) * step,
      height: Math.floor(reference.height / step) * step,
      ...scales,
      ...(reference.bounds && { bounds: reference.bounds }),
      guidanceRescale: 0,
      ...(reference.skipLayers && { skipLayers: reference.skipLayers }),
      prompts: await pipeline.base.encode(textsFor(pipeline.base, reference), { signal }),
      start: await startOf(reference),
      references: await encodeReferences(pipeline, (await Promise.all(reference.referencePngs.map(readRgb))).map(toPlanes), { signal }),
      refining:
        refiner === null
          ? null
          : {
              predictor: refiner,
              prompts: await refiner.encode({ ...textsFor(refiner, reference), clipSkip: 0 }, { signal }),
              start: reference.refiner?.start ?? 1,
            },
    },
    { signal, onStep: async () => undefined },
  )
  const picture = toRgb(await decodeLatents(pipeline, latents, size))
  // Models whose latents are patches give those that their decoder takes.
  const compared = pipeline.vae.patchSide === 1 ? latents : toDecoderScale(latents, size, pipeline.vae).values
  return { latents: relativeError(compared, reference.latents), pixels: largestDifference(picture, await readRgb(reference.png)) }
}

function schedulerOf({ scheduler }: DiffusionPipeline, json: JsonRecord, { schedulerOptions }: ReferenceCase): SchedulerConfig {
  if (scheduler.flow === null) return parseSchedulerConfig({ ...json, ...schedulerOptions })
  return { ...scheduler, flow: parseFlowSchedule(schedulerOptions, scheduler.flow.spacing) }
}

function scalesOf({ guidance }: NoisePredictor, { guidanceScale, embeddedGuidance, negativePrompt }: ReferenceCase): GuidanceScales {
  const hasNegative = negativePrompt !== null
  if (embeddedGuidance === null) return guidanceScales(guidance, { scale: guidanceScale, hasNegative })
  return guidanceScales(guidance, { scale: embeddedGuidance, outer: guidanceScale, hasNegative })
}

function textsFor(predictor: NoisePredictor, reference: ReferenceCase): PromptsToEncode {
  const { zeroNegative } = predictor
  const { prompt, negativePrompt } = reference
  const { guided } = scalesOf(predictor, reference)
  const zeros = negativePrompt === null && zeroNegative
  // diffusers takes the first prompt where another is absent or empty.
  const negative = plainPair(
    negativePrompt ?? '',
    reference.negativePrompt2 || (negativePrompt ?? ''),
    reference.negativePrompt3 || undefined,
  )
  return {
    positive: plainPair(prompt, reference.prompt2 || prompt, reference.prompt3 || undefined),
    negative: guided ? (zeros ? 'zeros' : negative) : null,
    clipSkip: reference.clipSkip ?? 0,
    truncate: true,
    ...(reference.maxTokens !== null && { maxTokens: reference.maxTokens }),
  }
}

async function assetsOf({ loras, textualInversions, controlnet, vae, skipLayers }: ReferenceCase, folder: string): Promise<UsedAssets> {
  const inside = <T extends { readonly file: string }>(asset: T): T => ({ ...asset, file: join(folder, asset.file) })
  return {
    loras: loras.map(inside),
    textualInversions: textualInversions.map(inside),
    controlnets:
      controlnet === null
        ? []
        : [{ file: join(folder, controlnet.file), picture: toPlanes(await readRgb(controlnet.png)), scale: controlnet.scale, until: 1 }],
    vae: vae === null ? null : join(folder, vae),
    ...(skipLayers && { skippedLayers: skipLayers.layers }),
  }
}

async function startOf({ initial }: ReferenceCase): Promise<StartingPicture | null> {
  if (initial === null) return null
  const picture = toPlanes(await readRgb(initial.png))
  return { picture, strength: initial.strength, mask: initial.maskPng === null ? null : await readMask(initial.maskPng) }
}

async function readRgb(png: Uint8Array): Promise<RgbImage> {
  const { data, info } = await sharp(png).removeAlpha().toColourspace('srgb').raw().toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}

async function readMask(png: Uint8Array): Promise<Float32Array> {
  const { data, info } = await sharp(png).removeAlpha().greyscale().raw().toBuffer({ resolveWithObject: true })
  return toRepaintMask({ data, width: info.width, height: info.height })
}

function relativeError(values: Float32Array, expected: Float32Array): number {
  if (values.length !== expected.length) return Number.NaN
  let smallest = Number.POSITIVE_INFINITY
  let largest = Number.NEGATIVE_INFINITY
  let error = 0
  for (const [i, value] of expected.entries()) {
    smallest = Math.min(smallest, value)
    largest = Math.max(largest, value)
    error = Math.max(error, Math.abs((values[i] ?? Number.NaN) - value))
  }
  return error / (largest - smallest)
}

function largestDifference(picture: RgbImage, expected: RgbImage): number {
  if (picture.data.length !== expected.data.length) return Number.NaN
  return picture.data.reduce((worst, value, i) => Math.max(worst, Math.abs(value - (expected.data[i] ?? Number.NaN))), 0)
}
