import type { SafetensorsHeader } from './safetensors-header.ts'

const layerNames = /^(conditioner\.embedders\.\d+|cond_stage_model|text_model)\.(?:.*\.)?(?:resblocks|layers)\.(\d+)\./u

/** Layers of the shortest text encoder a header names; null = it names none. */
export function countTextLayers({ tensors }: Pick<SafetensorsHeader, 'tensors'>): number | null {
  const counts = new Map<string, number>()
  for (const name of tensors.keys()) {
    const [, encoder, layer] = layerNames.exec(name) ?? []
    if (encoder !== undefined) counts.set(encoder, Math.max(counts.get(encoder) ?? 0, Number(layer) + 1))
  }
  return counts.size === 0 ? null : Math.min(...counts.values())
}
