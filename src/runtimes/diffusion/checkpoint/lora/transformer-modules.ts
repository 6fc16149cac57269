import type { TransformerFamily } from '../../../../core/checkpoint/checkpoint-family.ts'
import { type StoredModule, transformerModules } from '../names/transformer-names.ts'
import type { WeightTable } from '../weights/weight-table.ts'
import { type LoraTarget, type LoraTargets, numbersOf } from './lora-modules.ts'

/** Prefixes used by trainers before dotted names (peft's `base_model.model.` is treated as `unet.`), and before names with underscores. */
const dotted = ['transformer.', 'diffusion_model.', 'unet.', '']
const underscored = ['lora_unet_', 'lora_transformer_', 'lycoris_']

/** XLabs' names of what FLUX's blocks hold; a single block's projection covers the first three parts of its layer. */
const xlabs: readonly (readonly [block: string, name: string, stored: string])[] = [
  ['double_blocks.', 'processor.qkv_lora1', 'img_attn.qkv'],
  ['double_blocks.', 'processor.qkv_lora2', 'txt_attn.qkv'],
  ['double_blocks.', 'processor.proj_lora1', 'img_attn.proj'],
  ['double_blocks.', 'processor.proj_lora2', 'txt_attn.proj'],
  ['single_blocks.', 'processor.qkv_lora', 'linear1'],
  ['single_blocks.', 'processor.proj_lora', 'linear2'],
]

/** Every module of a transformer that a LoRA may change, by each name that LoRA files use for it, in diffusers' and the authors' names. */
export function transformerTargets(family: TransformerFamily, weights: WeightTable): LoraTargets {
  const targets = new Map<string, readonly LoraTarget[]>()
  const isThere = (module: string): boolean => weights.has(`${module}.weight`)
  for (const layout of ['original', 'diffusers'] as const) {
    for (const module of transformerModules(family, layout, ({ diffusers }) => weights.count(diffusers))) {
      const found = targetsOf(module, weights)
      if (!found.every(({ module: part }) => isThere(part))) continue
      for (const prefix of dotted) targets.set(prefix + module.stored, found)
      for (const prefix of underscored) targets.set(prefix + module.stored.replaceAll('.', '_'), found)
      for (const [block, name, stored] of xlabs) {
        const number =
          module.stored.startsWith(block) && module.stored.endsWith(`.${stored}`)
            ? module.stored.slice(block.length).split('.')[0]
            : undefined
        if (number !== undefined)
          targets.set(
            `${block}${number}.${name}`,
            stored === 'linear1' ? targetsOf({ ...module, parts: module.parts.slice(0, 3), shares: [1, 1, 1] }, weights) : found,
          )
      }
    }
  }
  return targets
}

function targetsOf({ parts, shares = parts.map(() => 1) }: StoredModule, weights: WeightTable): readonly LoraTarget[] {
  const all = shares.reduce((sum, share) => sum + share, 0)
  let first = 0
  return parts.map((module, i) => {
    const count = shares[i] ?? 1
    first += count
    return {
      network: 'unet',
      module,
      numbers: numbersOf(weights, module),
      ...(parts.length > 1 && { rows: { first: first - count, count, all } }),
    }
  })
}
