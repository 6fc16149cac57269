/** Parts of an adapter, besides the number that scales it, as LyCORIS calls them without the kind before them. */
const lycorisParts = [
  ...['hada_w1_a', 'hada_w1_b', 'hada_w2_a', 'hada_w2_b', 'hada_t1', 'hada_t2'],
  ...['lokr_w1', 'lokr_w1_a', 'lokr_w1_b', 'lokr_w2', 'lokr_w2_a', 'lokr_w2_b', 'lokr_t2'],
] as const

export type LoraPart = 'down' | 'up' | 'mid' | 'alpha' | 'magnitude' | 'diff' | 'diff_b' | (typeof lycorisParts)[number]

/** What one tensor of a LoRA is, and the module it is for, in the words of its file. */
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

/** Without what peft wraps around a model. */
function plain(module: string): string {
  return module.replace(/^base_model\.model\./u, 'unet.').replace(/^((?:unet|text_encoder(?:_2)?)\.)base_model\.model\./u, '$1')
}
