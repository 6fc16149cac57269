import { prefixesOf, translator } from '../names/module-names.ts'
import { diffusersUnetLayout, unetModules } from '../names/unet-names.ts'
import type { CheckpointParts } from '../parts/checkpoint-parts.ts'
import type { WeightTable } from '../weights/weight-table.ts'

/** A network of a model that LoRAs change: the UNet or transformer, CLIP's text encoders, and T5. */
export type LoraNetwork = 'unet' | 'first' | 'second' | 't5'

/** A module that a LoRA may change. */
export interface LoraTarget {
  readonly network: LoraNetwork
  /** By diffusers' name. */
  readonly module: string
  /** Numbers of its weight. */
  readonly numbers: number
  /** Rows of the LoRA's second factor that belong to the module, as shares; absent = all. */
  readonly rows?: { readonly first: number; readonly count: number; readonly all: number }
}

/** Modules that LoRAs can change, by each name used in files: one module, or several with concatenated rows. */
export type LoraTargets = ReadonlyMap<string, readonly LoraTarget[]>

/**
 * Every module of a checkpoint that a LoRA may change, by each name that LoRA files use for it. Built forwards from the
 * modules there are: kohya's names with underscores cannot be parsed back.
 */
export function loraTargets({ unet, text }: Pick<CheckpointParts, 'unet' | 'text'>): LoraTargets {
  const targets = new Map<string, readonly LoraTarget[]>()
  const original = translator(unetModules(diffusersUnetLayout(prefixesOf(unet.names()))), 'diffusers')
  for (const module of modulesOf(unet)) {
    const target: readonly LoraTarget[] = [{ network: 'unet', module, numbers: numbersOf(unet, module) }]
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
  return new Map(
    text.flatMap(({ weights, reads }) => [...encoderTargets(weights, modulesOf(weights), reads, textPrefixes(reads, text.length))]),
  )
}

/** The layers of T5. In a FLUX model it is the second text encoder, but kohya's scripts may call it the third. */
export function t5Targets(weights: WeightTable, clips: number): LoraTargets {
  const layers = modulesOf(weights).filter((module) => /\.(?:SelfAttention\.[qkvo]|DenseReluDense\.w\w+)$/u.test(module))
  const kohya = clips === 1 ? ['lora_te2_', 'lora_te3_'] : ['lora_te3_']
  return encoderTargets(weights, layers, 't5', [kohya, `text_encoder_${clips + 1}.`])
}

function encoderTargets(
  weights: WeightTable,
  modules: readonly string[],
  network: LoraNetwork,
  [kohya, peft]: ReturnType<typeof textPrefixes>,
): LoraTargets {
  const targets = new Map<string, readonly LoraTarget[]>()
  for (const module of modules) {
    const target: readonly LoraTarget[] = [{ network, module, numbers: numbersOf(weights, module) }]
    for (const prefix of kohya) targets.set(`${prefix}${module.replaceAll('.', '_')}`, target)
    targets.set(`${peft}${module}`, target)
  }
  return targets
}

/** Number of values in a module's weight; 0 = it has none. */
export function numbersOf(weights: WeightTable, module: string): number {
  return weights.find(`${module}.weight`)?.shape.reduce((product, size) => product * size, 1) ?? 0
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

/** LyCORIS's names of the parts of an adapter, except the number that scales it. */
const lycorisParts = [
  ...['hada_w1_a', 'hada_w1_b', 'hada_w2_a', 'hada_w2_b', 'hada_t1', 'hada_t2'],
  ...['lokr_w1', 'lokr_w1_a', 'lokr_w1_b', 'lokr_w2', 'lokr_w2_a', 'lokr_w2_b', 'lokr_t2'],
] as const

export type LoraPart = 'down' | 'up' | 'mid' | 'alpha' | 'magnitude' | 'diff' | 'diff_b' | (typeof lycorisParts)[number]

/** The kind of a LoRA tensor and its module, named as in the file. */
export interface LoraKey {
  /** A path with dots, or kohya's with underscores, such as `lora_unet_mid_block_attentions_0_proj_in`. */
  readonly module: string
  readonly part: LoraPart
}

const endings: readonly (readonly [RegExp, LoraPart])[] = [
  [/\.lora_(?:down|A)(?:\.default)?\.weight$/u, 'down'],
  [/\.lora_(?:up|B)(?:\.default)?\.weight$/u, 'up'],
  [/\.lora(?:_linear_layer)?\.down\.weight$/u, 'down'],
  [/\.lora(?:_linear_layer)?\.up\.weight$/u, 'up'],
  [/\.lora_mid\.weight$/u, 'mid'],
  [/\.alpha$/u, 'alpha'],
  [/\.(?:dora_scale|lora_magnitude_vector(?:\.default)?(?:\.weight)?)$/u, 'magnitude'],
  [/\.(?:diff|w_norm)$/u, 'diff'],
  [/\.(?:diff_b|b_norm)$/u, 'diff_b'],
  ...lycorisParts.map((part) => [new RegExp(`\\.${part}$`, 'u'), part] as const),
]

/** Reads a tensor's name as kohya's scripts, LyCORIS, diffusers and peft write it; null = it belongs to no LoRA. */
export function readLoraKey(name: string): LoraKey | null {
  // Diffusers' first format: `attn1.processor.to_q_lora.down.weight`.
  const processor = /^(.*)\.processor\.(to_q|to_k|to_v|to_out)_lora\.(down|up)\.weight$/u.exec(name)
  if (processor !== null) {
    const [, module = '', projection = '', part] = processor
    return { module: plain(`${module}.${projection === 'to_out' ? 'to_out.0' : projection}`), part: part === 'up' ? 'up' : 'down' }
  }
  // XLabs: `double_blocks.0.processor.qkv_lora1.down.weight`.
  const [, stream, direction] = /^(.*\.processor\.(?:qkv|proj)_lora[12]?)\.(down|up)\.weight$/u.exec(name) ?? []
  if (stream !== undefined) return { module: plain(stream), part: direction === 'up' ? 'up' : 'down' }
  for (const [ending, part] of endings) if (ending.test(name)) return { module: plain(name.replace(ending, '')), part }
  return null
}

/** Removes the prefix that peft adds to names. */
function plain(module: string): string {
  return module.replace(/^base_model\.model\./u, 'unet.').replace(/^((?:unet|text_encoder(?:_[23])?)\.)base_model\.model\./u, '$1')
}
