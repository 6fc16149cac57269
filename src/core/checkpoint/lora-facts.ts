import type { AssetDescriptor } from '../assets/asset.ts'
import { type CheckpointFamily, isTransformerFamily } from './checkpoint-family.ts'
import type { SafetensorsHeader } from './safetensors-header.ts'
import { findWidthFault, readVectorWidths, type TextWidths } from './text-widths.ts'

const flux: readonly CheckpointFamily[] = ['flux-dev', 'flux-schnell', 'flux2-klein']

/** Names of changed modules that only some families have, in the naming schemes of all trainers. */
const marks: readonly (readonly [RegExp, readonly CheckpointFamily[]])[] = [
  [/joint_blocks/u, ['sd3']],
  [/(?:noise|context)_refiner|(?:^|[._])layers[._]\d+[._](?:attention|feed_forward)/u, ['z-image']],
  [/double_blocks|single_(?:transformer_)?blocks/u, flux],
  [/transformer_blocks[._]\d+[._]attn[._]/u, [...flux, 'sd3']],
]

/** The first factors of projections whose input is a transformer's whole width. */
const firstFactor = /[._]attn[._](?:qkv|to_[qkv])\.(?:lora_down|lora_A(?:\.default)?|lora(?:_linear_layer)?\.down)\.weight$/u

type LoraFacts = Pick<AssetDescriptor, 'families' | 'embeds' | 'width' | 'textWidths'>

/** Properties of a LoRA that its header shows: the transformers that it may fit, and whether it contains a textual inversion. */
export function loraFacts(header: Pick<SafetensorsHeader, 'tensors'>): LoraFacts {
  const { tensors } = header
  const names = [...tensors.keys()]
  const own = names.filter((name) => !name.includes('text_model'))
  const families = marks.find(([mark]) => own.some((name) => mark.test(name)))?.[1]
  const width = families && tensors.get(own.find((name) => firstFactor.test(name)) ?? '')?.shape[1]
  const textWidths = readVectorWidths(header, 'lora')
  return {
    ...(families && { families }),
    ...(names.some((name) => name.startsWith('bundle_emb.')) && { embeds: true }),
    ...(width !== undefined && { width }),
    ...(textWidths && { textWidths }),
  }
}

/** Whether an asset may fit a model of a family and, where they are known, its widths, as far as its header shows. */
export function mayFit(
  { family, families, embeds, width, textWidths }: Pick<AssetDescriptor, 'family'> & LoraFacts,
  of: CheckpointFamily,
  model: { readonly width?: number; readonly textWidths?: TextWidths } = {},
): boolean {
  if (embeds === true && isTransformerFamily(of)) return false
  if (width !== undefined && model.width !== undefined && width !== model.width) return false
  if (findWidthFault(textWidths, model.textWidths) !== undefined) return false
  return families === undefined ? family === null || family === of : families.includes(of)
}
