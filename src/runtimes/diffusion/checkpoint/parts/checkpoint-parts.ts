import type { UnetFamily } from '../../../../core/checkpoint/checkpoint-family.ts'
import type { JsonRecord } from '../../onnx/model-file.ts'
import type { TextEncoderOptions } from '../networks/text-encoder-graph.ts'
import type { UnetOptions } from '../networks/unet-shape.ts'
import type { WeightTable } from '../weights/weight-table.ts'

/** A text encoder as a checkpoint holds it. */
export interface TextEncoderPart {
  readonly weights: WeightTable
  /** The prompt it encodes. */
  readonly reads: 'first' | 'second'
  readonly options: Pick<TextEncoderOptions, 'activation' | 'heads' | 'layers' | 'projected' | 'pooledPlainly'>
  /** Padding token. */
  readonly pad: '<|endoftext|>' | '!'
  /** Folder of its tokenizer beside the weights; null = CLIP's public vocabulary. */
  readonly tokenizer: { readonly folder: string; readonly name: string } | null
}

/** A whole checkpoint independent of its layout: weights named as in diffusers, and properties. */
export interface CheckpointParts {
  readonly family: UnetFamily
  readonly unet: WeightTable
  readonly unetOptions: UnetOptions
  readonly text: readonly TextEncoderPart[]
  readonly vae: WeightTable
  /** Options of the VAE in diffusers' words. */
  readonly vaeConfig: JsonRecord
  /** Options of the scheduler in diffusers' words. */
  readonly schedulerConfig: JsonRecord
  /** Whether an absent negative prompt means zeros instead of the encoded empty text. */
  readonly zeroNegative: boolean
}

/** Properties common to a family's checkpoints that files do not contain. */
export interface FamilyRules {
  readonly heads: UnetOptions['heads']
  readonly scalingFactor: number
  readonly zeroNegative: boolean
}

const sdxl: FamilyRules = { heads: { channels: 64 }, scalingFactor: 0.13025, zeroNegative: true }

export const familyRules: Readonly<Record<UnetFamily, FamilyRules>> = {
  sdxl,
  'sdxl-refiner': { ...sdxl, zeroNegative: false },
  sd15: { heads: { count: 8 }, scalingFactor: 0.18215, zeroNegative: false },
  sd2: { heads: { channels: 64 }, scalingFactor: 0.18215, zeroNegative: false },
}

/** Width of one attention head in every CLIP. */
export const clipHeadWidth = 64

/** Width of the features of sizes, in every family that takes them. */
export const timeIdWidth = 256

/** The activation of OpenAI's CLIP and of OpenCLIP. */
export const activations: Readonly<Record<'clip' | 'open-clip', TextEncoderOptions['activation']>> = {
  clip: 'quick_gelu',
  'open-clip': 'gelu',
}

/** The noise schedule that all of Stable Diffusion was trained with, in diffusers' words. */
export const trainedSchedule: JsonRecord = {
  num_train_timesteps: 1000,
  beta_schedule: 'scaled_linear',
  beta_start: 0.00085,
  beta_end: 0.012,
  timestep_spacing: 'leading',
  steps_offset: 1,
  set_alpha_to_one: false,
  clip_sample: false,
}
