import type { UnetFamily } from '../../../../core/checkpoint/checkpoint-family.ts'
import type { JsonRecord } from '../../onnx/model-file.ts'
import type { TextEncoderOptions } from '../networks/text-encoder-graph.ts'
import type { UnetOptions } from '../networks/unet-shape.ts'
import type { WeightTable } from '../weights/weight-table.ts'

/** A text encoder as a checkpoint holds it. */
export interface TextEncoderPart {
  readonly weights: WeightTable
  /** Which prompt it reads. */
  readonly reads: 'first' | 'second'
  readonly options: Pick<TextEncoderOptions, 'activation' | 'heads' | 'layers' | 'projected' | 'pooledPlainly'>
  /** What fills short texts up. */
  readonly pad: '<|endoftext|>' | '!'
  /** Folder of its tokenizer beside the weights; null = CLIP's public vocabulary. */
  readonly tokenizer: { readonly folder: string; readonly name: string } | null
}

/** A whole checkpoint, whatever its layout: weights under diffusers' names and what to know about them. */
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
