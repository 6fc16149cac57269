import type { SafetensorsHeader } from './safetensors-header.ts'

/** Components of a model besides its transformer, named as in diffusers. Tokenizers are folders. */
export const componentNames = [
  'text_encoder',
  'text_encoder_2',
  'text_encoder_3',
  'vae',
  'tokenizer',
  'tokenizer_2',
  'tokenizer_3',
] as const

export type ComponentName = (typeof componentNames)[number]

/** Absolute paths of components outside the model's own file or folder. */
export type ModelFiles = Readonly<Partial<Record<ComponentName, string>>>

/** Pixels per position of Stable Diffusion 3, in each direction. */
const positionPixels = 16

const layerNames =
  /^(conditioner\.embedders\.\d+|cond_stage_model|text_model|text_encoders\.clip_[lg]\.transformer)\.(?:.*\.)?(?:resblocks|layers)\.(\d+)\./u

/** Layers of the shortest text encoder in a header; null = none. */
export function countTextLayers({ tensors }: Pick<SafetensorsHeader, 'tensors'>): number | null {
  const counts = new Map<string, number>()
  for (const name of tensors.keys()) {
    const [, encoder, layer] = layerNames.exec(name) ?? []
    if (encoder !== undefined) counts.set(encoder, Math.max(counts.get(encoder) ?? 0, Number(layer) + 1))
  }
  return counts.size === 0 ? null : Math.min(...counts.values())
}

/** Limits of a Stable Diffusion 3: the longest side in pixels that its table of positions covers, and its blocks. */
interface Sd3Limits {
  readonly maxSide?: number
  readonly blocks?: number
}

/** The limits by the side of the table and the number of blocks, as far as they are counts: a damaged file may state anything. */
export function sd3Limits(side: unknown, blocks: unknown): Sd3Limits {
  return { ...(isCount(side) && { maxSide: side * positionPixels }), ...(isCount(blocks) && { blocks }) }
}

/** Whether a value is a number of things, at least one. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0
}

const wholeWidth =
  /(?:^|\.)(?:double_blocks\.0\.img_attn\.qkv|joint_blocks\.0\.x_block\.attn\.qkv|transformer_blocks\.0\.attn\.to_q)\.weight$/u

/** The width of a transformer of FLUX or Stable Diffusion 3 that a header shows; undefined = unknown. */
export function readWidth({ tensors }: Pick<SafetensorsHeader, 'tensors'>): number | undefined {
  return tensors.get([...tensors.keys()].find((name) => wholeWidth.test(name)) ?? '')?.shape[1]
}

/** The limits that a header shows. */
export function readSd3Limits({ tensors }: Pick<SafetensorsHeader, 'tensors'>): Sd3Limits {
  let [side, blocks]: readonly (number | undefined)[] = []
  for (const [name, { shape }] of tensors) {
    if (/(?:^|\.)pos_embed$/u.test(name)) side = Math.round(Math.sqrt(shape.at(-2) ?? 0))
    const [, block] = /(?:^|\.)(?:joint_blocks|transformer_blocks)\.(\d+)\./u.exec(name) ?? []
    if (block !== undefined) blocks = Math.max(blocks ?? 0, Number(block) + 1)
  }
  return sd3Limits(side, blocks)
}

/** Whether a file with a VAE holds its encoder, needed to start from an image. */
export function holdsVaeEncoder({ tensors }: Pick<SafetensorsHeader, 'tensors'>): boolean {
  return [...tensors.keys()].some((name) => /^(?:first_stage_model\.|vae\.)?encoder\.conv_in\./u.test(name))
}
