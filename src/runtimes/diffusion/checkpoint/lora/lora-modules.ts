import { prefixesOf, translator } from '../names/module-names.ts'
import { diffusersUnetLayout, unetModules } from '../names/unet-names.ts'
import type { CheckpointParts } from '../parts/checkpoint-parts.ts'
import type { WeightTable } from '../weights/weight-table.ts'

/** A network of a checkpoint that LoRAs change. */
export type LoraNetwork = 'unet' | 'first' | 'second'

/** A module that a LoRA may change. */
export interface LoraTarget {
  readonly network: LoraNetwork
  /** By diffusers' name. */
  readonly module: string
  /** Which of the rows of the LoRA's second factor are the module's, as shares of all; absent = all. */
  readonly rows?: { readonly first: number; readonly count: number; readonly all: number }
}

/** What LoRAs may change, by each name that their files use for it: one module, or several whose rows a file holds in one. */
export type LoraTargets = ReadonlyMap<string, readonly LoraTarget[]>

/**
 * Every module of a checkpoint that a LoRA may change, by each name that LoRA files use for it. Built forwards from the
 * modules there are: kohya's names with underscores cannot be parsed back.
 */
export function loraTargets({ unet, text }: Pick<CheckpointParts, 'unet' | 'text'>): LoraTargets {
  const targets = new Map<string, readonly LoraTarget[]>()
  const original = translator(unetModules(diffusersUnetLayout(prefixesOf(unet.names()))), 'diffusers')
  for (const module of modulesOf(unet)) {
    const target: readonly LoraTarget[] = [{ network: 'unet', module }]
    const older = original(module)
    for (const name of older === undefined ? [module] : [module, older]) {
      for (const prefix of ['lora_unet_', 'lycoris_']) targets.set(prefix + name.replaceAll('.', '_'), target)
      targets.set(`diffusion_model.${name}`, target)
    }
    targets.set(`unet.${module}`, target)
    if (!targets.has(module)) targets.set(module, target)
  }
  for (const [name, target] of textTargets(text)) targets.set(name, target)
  return targets
}

/** The modules of CLIP's encoders. */
export function textTargets(text: CheckpointParts['text']): LoraTargets {
  const targets = new Map<string, readonly LoraTarget[]>()
  for (const { weights, reads } of text) {
    const [kohya, peft] = textPrefixes(reads, text.length)
    for (const module of modulesOf(weights)) {
      const target: readonly LoraTarget[] = [{ network: reads, module }]
      for (const prefix of kohya) targets.set(`${prefix}${module.replaceAll('.', '_')}`, target)
      targets.set(`${peft}${module}`, target)
    }
  }
  return targets
}

function textPrefixes(reads: 'first' | 'second', encoders: number): readonly [kohya: readonly string[], peft: string] {
  if (reads === 'second') return [['lora_te2_'], 'text_encoder_2.']
  return [encoders === 1 ? ['lora_te_', 'lora_te1_'] : ['lora_te1_'], 'text_encoder.']
}

/** Layers and norms; embeddings are none. */
function modulesOf(weights: WeightTable): readonly string[] {
  return weights
    .names()
    .filter((name) => name.endsWith('.weight') && !name.includes('_embedding.weight'))
    .map((name) => name.slice(0, -'.weight'.length))
}
