import type { UnetFamily } from '../../../../core/checkpoint/checkpoint-family.ts'
import { detectSafetensorsKind, unetPrefix, vaePrefix } from '../../../../core/checkpoint/safetensors-kind.ts'
import { unusableModel } from '../../onnx/model-file.ts'
import { namedTable, openClip, originalUnet, originalVae } from '../weights/original-tables.ts'
import { readWeightFile, type WeightFile, type WeightTable } from '../weights/weight-table.ts'
import {
  activations,
  type CheckpointParts,
  clipHeadWidth,
  familyRules,
  type TextEncoderPart,
  timeIdWidth,
  trainedSchedule,
} from './checkpoint-parts.ts'

/**
 * Reads a checkpoint in Stability's single-file layout.
 *
 * @throws {ServiceError} `inference_failed` naming what is wrong with the file.
 */
export async function readSingleFile(path: string): Promise<CheckpointParts> {
  const file = await readWeightFile(path)
  const found = detectSafetensorsKind(file)
  if (found.kind === 'unknown') throw unusableModel(file.name, found.reason)
  if (found.kind !== 'checkpoint') throw unusableModel(file.name, `is a ${found.kind}, not a checkpoint`)
  const { family, prediction, zeroSnr } = found
  const { heads, scalingFactor, zeroNegative } = familyRules[family]
  const text = readTextEncoders(file, family)
  const unet = originalUnet(file, unetPrefix)
  const vae = originalVae(file, vaePrefix)
  return {
    family,
    unet,
    unetOptions: { heads, timeIdWidth, pooledWidth: pooledWidthOf(text) },
    text,
    vae,
    vaeConfig: { scaling_factor: scalingFactor, ...vaeSizes(vae) },
    schedulerConfig: {
      ...trainedSchedule,
      ...(prediction === null ? {} : { prediction_type: prediction }),
      ...(zeroSnr ? { rescale_betas_zero_snr: true, timestep_spacing: 'trailing' } : {}),
    },
    zeroNegative,
  }
}

/** Width of the pooled text that goes into the UNet, or null. */
export function pooledWidthOf(text: readonly TextEncoderPart[]): number | null {
  const projected = text.find(({ options }) => options.projected)?.weights
  if (projected === undefined) return null
  const { shape, transposed } = projected.get('text_projection.weight')
  return shape[transposed ? 1 : 0] ?? null
}

/** Sizes of a VAE as `vae/config.json` would have them. */
export function vaeSizes(vae: WeightTable): Readonly<Record<string, unknown>> {
  const blocks = Array.from({ length: vae.count('decoder.up_blocks.') }, (_, i) => i)
  return { latent_channels: vae.sizeOf('decoder.conv_in.weight', 1), block_out_channels: blocks }
}

function readTextEncoders(file: WeightFile, family: UnetFamily): readonly TextEncoderPart[] {
  const clip = (prefix: string): TextEncoderPart => {
    // Files from before 2023 leave out the first step of the names.
    const weights = namedTable(file, prefix, (name) => name.replace(/^(?=(?:embeddings|encoder|final_layer_norm)\.)/u, 'text_model.'))
    return { weights, reads: 'first', pad: '<|endoftext|>', tokenizer: null, options: encoderOptions(weights, 'clip', false) }
  }
  const open = (prefix: string, reads: TextEncoderPart['reads'], projected: boolean): TextEncoderPart => {
    const weights = openClip(file, prefix)
    const options = encoderOptions(weights, 'open-clip', projected)
    // SD 2.x was trained on the last layer but one; diffusers leaves the last one out of its folders.
    const layers = projected ? options.layers : options.layers - 1
    return { weights, reads, pad: '!', tokenizer: null, options: { ...options, layers } }
  }
  switch (family) {
    case 'sdxl':
      return [clip('conditioner.embedders.0.transformer.'), open('conditioner.embedders.1.model.', 'second', true)]
    case 'sdxl-refiner':
      return [open('conditioner.embedders.0.model.', 'second', true)]
    case 'sd15': {
      const prefix = 'cond_stage_model.transformer.'
      const nested = [...file.tensors.keys()].some((name) => name.startsWith(prefix))
      return [clip(nested ? prefix : 'cond_stage_model.')]
    }
    case 'sd2':
      return [open('cond_stage_model.model.', 'first', false)]
  }
}

/** Options of a text encoder, from its weights and kind. */
export function encoderOptions(weights: WeightTable, kind: 'clip' | 'open-clip', projected: boolean): TextEncoderPart['options'] {
  const width = weights.sizeOf('text_model.embeddings.token_embedding.weight', 1)
  return {
    activation: activations[kind],
    heads: Math.max(1, Math.floor(width / clipHeadWidth)),
    layers: weights.count('text_model.encoder.layers.'),
    projected,
  }
}
