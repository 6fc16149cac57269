import type { UnetFamily } from '../../../../core/checkpoint/checkpoint-family.ts'
import { fileExists, type JsonRecord, readOptionalJsonObject, unusableModel } from '../../onnx/model-file.ts'
import type { UnetOptions } from '../networks/unet-shape.ts'
import { readComponent, readVaeComponent } from '../weights/folder-tables.ts'
import type { WeightTable } from '../weights/weight-table.ts'
import { type CheckpointParts, familyRules, type TextEncoderPart, timeIdWidth, trainedSchedule } from './checkpoint-parts.ts'
import { encoderOptions, pooledWidthOf, vaeSizes } from './read-single-file.ts'

const networkStems = ['diffusion_pytorch_model']
const encoderStems = ['model', 'pytorch_model']

/**
 * Reads a checkpoint in diffusers' folder layout.
 *
 * @throws {ServiceError} `inference_failed` naming the file that does not fit.
 */
export async function readFolder(folder: string): Promise<CheckpointParts> {
  const [index, unetConfig, vaeConfig, scheduler] = await Promise.all(
    ['model_index.json', 'unet/config.json', 'vae/config.json', 'scheduler/scheduler_config.json'].map((file) =>
      readOptionalJsonObject(folder, file),
    ),
  )
  const unet = await readComponent(folder, 'unet', { stems: networkStems })
  const text = await readTextEncoders(folder)
  const family = familyOf(unet, text)
  const vae = await readVaeComponent(folder)
  return {
    family,
    unet,
    unetOptions: { ...unetOptionsOf(unetConfig, family), pooledWidth: pooledWidthOf(text) },
    text,
    vae,
    vaeConfig: { scaling_factor: familyRules[family].scalingFactor, ...vaeConfig, ...vaeSizes(vae) },
    schedulerConfig: { ...trainedSchedule, ...scheduler },
    zeroNegative:
      typeof index?.force_zeros_for_empty_prompt === 'boolean' ? index.force_zeros_for_empty_prompt : familyRules[family].zeroNegative,
  }
}

function familyOf(unet: WeightTable, text: readonly TextEncoderPart[]): UnetFamily {
  if (unet.has('add_embedding.linear_1.weight')) return text.length === 1 ? 'sdxl-refiner' : 'sdxl'
  // SD 2.x has linear layers where SD 1.5 has 1 × 1 convolutions.
  const projection = unet.names().find((name) => name.endsWith('.proj_in.weight')) ?? ''
  return unet.get(projection).shape.length === 2 ? 'sd2' : 'sd15'
}

async function readTextEncoders(folder: string): Promise<readonly TextEncoderPart[]> {
  const parts: TextEncoderPart[] = []
  for (const { component, tokenizer, reads } of [
    { component: 'text_encoder', tokenizer: 'tokenizer', reads: 'first' },
    { component: 'text_encoder_2', tokenizer: 'tokenizer_2', reads: 'second' },
  ] as const) {
    const config = await readOptionalJsonObject(folder, `${component}/config.json`)
    const isThere = Object.keys(config).length > 0
    if (!isThere) continue
    const weights = await readComponent(folder, component, { stems: encoderStems })
    const isOpenClip = config.hidden_act === undefined ? reads === 'second' : config.hidden_act === 'gelu'
    const options = encoderOptions(weights, isOpenClip ? 'open-clip' : 'clip', reads === 'second')
    const { num_attention_heads: heads = options.heads } = config
    if (typeof heads !== 'number') throw unusableModel(`${component}/config.json`, 'has no number in "num_attention_heads"')
    const isOwn = (await fileExists(folder, `${tokenizer}/vocab.json`)) || (await fileExists(folder, `${tokenizer}/tokenizer.json`))
    const own = isOwn ? { folder, name: tokenizer } : null
    parts.push({ weights, reads, options: { ...options, heads }, pad: isOpenClip ? '!' : '<|endoftext|>', tokenizer: own })
  }
  if (parts.length === 0) throw unusableModel('text_encoder/config.json', 'is missing')
  return parts
}

/** Diffusers' `attention_head_dim` counts heads, not their width, where `num_attention_heads` is absent. */
function unetOptionsOf(config: JsonRecord | undefined, family: UnetFamily): Omit<UnetOptions, 'pooledWidth'> {
  const heads = config?.num_attention_heads ?? config?.attention_head_dim
  const width = config?.addition_time_embed_dim
  return {
    heads: headsOf(heads) ?? familyRules[family].heads,
    timeIdWidth: typeof width === 'number' ? width : timeIdWidth,
  }
}

function headsOf(value: unknown): UnetOptions['heads'] | undefined {
  if (typeof value === 'number') return { count: value }
  return Array.isArray(value) && value.every((item) => typeof item === 'number') ? { perBlock: value } : undefined
}
