import type { AssetDescriptor } from '../assets/asset.ts'
import { type CheckpointFamily, isTransformerFamily } from './checkpoint-family.ts'
import type { SafetensorsHeader } from './safetensors-header.ts'

const flux: readonly CheckpointFamily[] = ['flux-dev', 'flux-schnell', 'flux2-klein']

/** Names of changed modules that only some families have, in the naming schemes of all trainers. */
const marks: readonly (readonly [RegExp, readonly CheckpointFamily[]])[] = [
  [/joint_blocks/u, ['sd3']],
  [/(?:noise|context)_refiner|(?:^|[._])layers[._]\d+[._](?:attention|feed_forward)/u, ['z-image']],
  [/double_blocks|single_(?:transformer_)?blocks/u, flux],
  [/transformer_blocks[._]\d+[._]attn[._]/u, [...flux, 'sd3']],
]

/** Properties of a LoRA that its header shows: the families of transformers that it may fit, and whether it contains a textual inversion. */
export function loraFacts({ tensors }: Pick<SafetensorsHeader, 'tensors'>): Pick<AssetDescriptor, 'families' | 'embeds'> {
  const names = [...tensors.keys()]
  const own = names.filter((name) => !name.includes('text_model'))
  const families = marks.find(([mark]) => own.some((name) => mark.test(name)))?.[1]
  return { ...(families && { families }), ...(names.some((name) => name.startsWith('bundle_emb.')) && { embeds: true }) }
}

/** Whether an asset may fit models of a family, as far as its header shows. */
export function mayFit(
  { family, families, embeds }: Pick<AssetDescriptor, 'family' | 'families' | 'embeds'>,
  of: CheckpointFamily,
): boolean {
  if (embeds === true && isTransformerFamily(of)) return false
  return families === undefined ? family === null || family === of : families.includes(of)
}
