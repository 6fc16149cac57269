import type { TransformerFamily } from '../../../../core/checkpoint/checkpoint-family.ts'

/** A module as a file holds it, and the modules that its rows are: one, or several one after the other. */
export interface StoredModule {
  readonly stored: string
  /** By diffusers' names; a final modulation is parted into `shift` and `scale`, whose order differs between layouts. */
  readonly parts: readonly string[]
  /** Relative numbers of rows per part; default equal. */
  readonly shares?: readonly number[]
}

/** Names as diffusers writes them, or as the models' authors do. */
export type TransformerLayout = 'diffusers' | 'original'

/** Patterns for the modules of one repeated block; `{i}` stands for its number. */
type Rules = readonly (readonly [stored: string, parts: string | readonly string[], shares?: readonly number[]])[]

interface FamilyNames {
  /** Blocks by their prefix in the original, with their prefix in diffusers' names. */
  readonly blocks: readonly { readonly original: string; readonly diffusers: string; readonly rules: Rules }[]
  /** Modules outside blocks. */
  readonly single: Rules
}

const embedders = (prefix: string): Rules => [
  ['time_in.in_layer', `${prefix}.timestep_embedder.linear_1`],
  ['time_in.out_layer', `${prefix}.timestep_embedder.linear_2`],
  ['guidance_in.in_layer', `${prefix}.guidance_embedder.linear_1`],
  ['guidance_in.out_layer', `${prefix}.guidance_embedder.linear_2`],
  ['vector_in.in_layer', `${prefix}.text_embedder.linear_1`],
  ['vector_in.out_layer', `${prefix}.text_embedder.linear_2`],
  ['img_in', 'x_embedder'],
  ['txt_in', 'context_embedder'],
  ['final_layer.linear', 'proj_out'],
  ['final_layer.adaLN_modulation.1', ['norm_out.shift', 'norm_out.scale']],
]

const fluxBlock: Rules = [
  ['img_mod.lin', 'norm1.linear'],
  ['txt_mod.lin', 'norm1_context.linear'],
  ['img_attn.qkv', ['attn.to_q', 'attn.to_k', 'attn.to_v']],
  ['txt_attn.qkv', ['attn.add_q_proj', 'attn.add_k_proj', 'attn.add_v_proj']],
  ['img_attn.proj', 'attn.to_out.0'],
  ['txt_attn.proj', 'attn.to_add_out'],
  ['img_mlp.0', 'ff.net.0.proj'],
  ['img_mlp.2', 'ff.net.2'],
  ['txt_mlp.0', 'ff_context.net.0.proj'],
  ['txt_mlp.2', 'ff_context.net.2'],
  ['img_attn.norm.query_norm.scale', 'attn.norm_q.weight'],
  ['img_attn.norm.key_norm.scale', 'attn.norm_k.weight'],
  ['txt_attn.norm.query_norm.scale', 'attn.norm_added_q.weight'],
  ['txt_attn.norm.key_norm.scale', 'attn.norm_added_k.weight'],
]

const fluxSingleBlock: Rules = [
  ['modulation.lin', 'norm.linear'],
  ['linear1', ['attn.to_q', 'attn.to_k', 'attn.to_v', 'proj_mlp'], [1, 1, 1, 4]],
  ['linear2', 'proj_out'],
  ['norm.query_norm.scale', 'attn.norm_q.weight'],
  ['norm.key_norm.scale', 'attn.norm_k.weight'],
]

const klein: FamilyNames = {
  blocks: [
    {
      original: 'double_blocks.',
      diffusers: 'transformer_blocks.',
      rules: [
        ...fluxBlock.filter(([stored]) => !stored.includes('mlp')),
        ['img_mlp.0', 'ff.linear_in'],
        ['img_mlp.2', 'ff.linear_out'],
        ['txt_mlp.0', 'ff_context.linear_in'],
        ['txt_mlp.2', 'ff_context.linear_out'],
      ],
    },
    {
      original: 'single_blocks.',
      diffusers: 'single_transformer_blocks.',
      rules: [
        ['linear1', 'attn.to_qkv_mlp_proj'],
        ['linear2', 'attn.to_out'],
        ['norm.query_norm.scale', 'attn.norm_q.weight'],
        ['norm.key_norm.scale', 'attn.norm_k.weight'],
      ],
    },
  ],
  single: [
    ...embedders('time_guidance_embed'),
    ...['double_stream_modulation_img', 'double_stream_modulation_txt', 'single_stream_modulation'].map(
      (name) => [`${name}.lin`, `${name}.linear`] as const,
    ),
  ],
}

const zImageBlock: Rules = [
  ['attention.qkv', ['attention.to_q', 'attention.to_k', 'attention.to_v']],
  ['attention.out', 'attention.to_out.0'],
  ['attention.q_norm', 'attention.norm_q'],
  ['attention.k_norm', 'attention.norm_k'],
  ...['feed_forward.w1', 'feed_forward.w2', 'feed_forward.w3', 'adaLN_modulation.0'].map((name) => [name, name] as const),
  ...['attention_norm1', 'attention_norm2', 'ffn_norm1', 'ffn_norm2'].map((name) => [name, name] as const),
]

const jointBlock: Rules = [
  ['x_block.adaLN_modulation.1', 'norm1.linear'],
  ['context_block.adaLN_modulation.1', 'norm1_context.linear'],
  ['x_block.attn.qkv', ['attn.to_q', 'attn.to_k', 'attn.to_v']],
  ['context_block.attn.qkv', ['attn.add_q_proj', 'attn.add_k_proj', 'attn.add_v_proj']],
  ['x_block.attn2.qkv', ['attn2.to_q', 'attn2.to_k', 'attn2.to_v']],
  ['x_block.attn.proj', 'attn.to_out.0'],
  ['context_block.attn.proj', 'attn.to_add_out'],
  ['x_block.attn2.proj', 'attn2.to_out.0'],
  ['x_block.mlp.fc1', 'ff.net.0.proj'],
  ['x_block.mlp.fc2', 'ff.net.2'],
  ['context_block.mlp.fc1', 'ff_context.net.0.proj'],
  ['context_block.mlp.fc2', 'ff_context.net.2'],
  ['x_block.attn.ln_q', 'attn.norm_q'],
  ['x_block.attn.ln_k', 'attn.norm_k'],
  ['context_block.attn.ln_q', 'attn.norm_added_q'],
  ['context_block.attn.ln_k', 'attn.norm_added_k'],
  ['x_block.attn2.ln_q', 'attn2.norm_q'],
  ['x_block.attn2.ln_k', 'attn2.norm_k'],
]

/** The modulation of the text stream in the last block of Stable Diffusion 3 is split like the final modulation. */
const lastContext: Rules[number] = ['context_block.adaLN_modulation.1', ['norm1_context.shift', 'norm1_context.scale']]

const flux: FamilyNames = {
  blocks: [
    { original: 'double_blocks.', diffusers: 'transformer_blocks.', rules: fluxBlock },
    { original: 'single_blocks.', diffusers: 'single_transformer_blocks.', rules: fluxSingleBlock },
  ],
  single: embedders('time_text_embed'),
}

const familyModules: Readonly<Record<TransformerFamily, FamilyNames>> = {
  'flux-dev': flux,
  'flux-schnell': flux,
  'flux2-klein': klein,
  'z-image': {
    blocks: ['noise_refiner.', 'context_refiner.', 'layers.'].map((prefix) => ({
      original: prefix,
      diffusers: prefix,
      rules: zImageBlock,
    })),
    single: [
      ['x_embedder', 'all_x_embedder.2-1'],
      ['final_layer.linear', 'all_final_layer.2-1.linear'],
      ['final_layer.adaLN_modulation.1', 'all_final_layer.2-1.adaLN_modulation.1'],
      ...['t_embedder.mlp.0', 't_embedder.mlp.2', 'cap_embedder.0', 'cap_embedder.1', 'x_pad_token', 'cap_pad_token'].map(
        (name) => [name, name] as const,
      ),
    ],
  },
  sd3: {
    blocks: [{ original: 'joint_blocks.', diffusers: 'transformer_blocks.', rules: jointBlock }],
    single: [
      ['pos_embed', 'pos_embed.pos_embed'],
      ['x_embedder.proj', 'pos_embed.proj'],
      ['context_embedder', 'context_embedder'],
      ['t_embedder.mlp.0', 'time_text_embed.timestep_embedder.linear_1'],
      ['t_embedder.mlp.2', 'time_text_embed.timestep_embedder.linear_2'],
      ['y_embedder.mlp.0', 'time_text_embed.text_embedder.linear_1'],
      ['y_embedder.mlp.2', 'time_text_embed.text_embedder.linear_2'],
      ['final_layer.linear', 'proj_out'],
      ['final_layer.adaLN_modulation.1', ['norm_out.shift', 'norm_out.scale']],
    ],
  },
}

/**
 * The modules of a transformer as a file of a layout holds them.
 *
 * @param count How many numbered blocks there are under one of two prefixes, which mean the same.
 */
export function transformerModules(
  family: TransformerFamily,
  layout: TransformerLayout,
  count: (prefixes: { readonly original: string; readonly diffusers: string }) => number,
): readonly StoredModule[] {
  const { blocks, single } = familyModules[family]
  const modules = single.flatMap((rule) => toModules(rule, { original: '', diffusers: '', layout }))
  for (const { original, diffusers, rules } of blocks) {
    const found = count({ original, diffusers })
    for (let i = 0; i < found; i++) {
      const names = { original: `${original}${i}.`, diffusers: `${diffusers}${i}.`, layout }
      const own = i < found - 1 ? rules : rules.map((rule) => (rule[0] === lastContext[0] ? lastContext : rule))
      modules.push(...own.flatMap((rule) => toModules(rule, names)))
    }
  }
  return modules
}

function toModules(
  [stored, named, shares]: Rules[number],
  { original, diffusers, layout }: { readonly original: string; readonly diffusers: string; readonly layout: TransformerLayout },
): readonly StoredModule[] {
  const parts = (typeof named === 'string' ? [named] : named).map((name) => `${diffusers}${name}`)
  if (layout === 'original') return [{ stored: `${original}${stored}`, parts, ...(shares && { shares }) }]
  const [first = ''] = parts
  // The other way round than in the original.
  if (first.endsWith('.shift')) return [{ stored: first.replace(/shift$/u, 'linear'), parts: parts.toReversed() }]
  return parts.map((name) => ({ stored: name, parts: [name] }))
}
