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

const layerNames = /^(conditioner\.embedders\.\d+|cond_stage_model|text_model)\.(?:.*\.)?(?:resblocks|layers)\.(\d+)\./u

/** Layers of the shortest text encoder in a header; null = none. */
export function countTextLayers({ tensors }: Pick<SafetensorsHeader, 'tensors'>): number | null {
  const counts = new Map<string, number>()
  for (const name of tensors.keys()) {
    const [, encoder, layer] = layerNames.exec(name) ?? []
    if (encoder !== undefined) counts.set(encoder, Math.max(counts.get(encoder) ?? 0, Number(layer) + 1))
  }
  return counts.size === 0 ? null : Math.min(...counts.values())
}
