import type { TransformerFamily } from './checkpoint-family.ts'

/** A transformer found in a file. */
export interface TransformerFile {
  readonly family: TransformerFamily
  /** Prefix of its tensor names. */
  readonly prefix: string
  /** Naming scheme of its tensors. */
  readonly layout: 'original' | 'diffusers'
}

/** Prefixes of a transformer's tensor names in single files. */
const prefixes = ['model.diffusion_model.', '', 'diffusion_model.', 'transformer.']

/** A tensor unique to each family, in each naming scheme. */
const marks: readonly (readonly [mark: string, family: TransformerFamily, layout: TransformerFile['layout']])[] = [
  ['double_stream_modulation_img.lin.weight', 'flux2-klein', 'original'],
  ['double_stream_modulation_img.linear.weight', 'flux2-klein', 'diffusers'],
  ['double_blocks.0.img_attn.qkv.weight', 'flux-schnell', 'original'],
  ['noise_refiner.0.attention.qkv.weight', 'z-image', 'original'],
  ['joint_blocks.0.x_block.attn.qkv.weight', 'sd3', 'original'],
  ['single_transformer_blocks.0.proj_mlp.weight', 'flux-schnell', 'diffusers'],
  ['noise_refiner.0.attention.to_q.weight', 'z-image', 'diffusers'],
  ['pos_embed.pos_embed', 'sd3', 'diffusers'],
]

const guidanceMarks = [
  'guidance_in.in_layer.weight',
  'time_text_embed.guidance_embedder.linear_1.weight',
  'time_guidance_embed.guidance_embedder.linear_1.weight',
]

/** Finds a transformer by a file's tensor names; null = no supported one. */
export function findTransformer(has: (name: string) => boolean): TransformerFile | null {
  for (const prefix of prefixes) {
    const found = marks.find(([mark]) => has(`${prefix}${mark}`))
    if (found === undefined) continue
    const [, family, layout] = found
    const isGuided = guidanceMarks.some((mark) => has(`${prefix}${mark}`))
    // FLUX.2 dev uses another language model as its text encoder.
    if (family === 'flux2-klein' && isGuided) return null
    const isDev = family === 'flux-schnell' && isGuided
    return { family: isDev ? 'flux-dev' : family, prefix, layout }
  }
  return null
}

/** Tensors of networks that otherwise have the names of a family. */
const foreignMarks: readonly (readonly [mark: string, kind: string])[] = [
  ['controlnet_blocks.0.weight', 'a ControlNet for a transformer'],
  ['distilled_guidance_layer.in_proj.weight', 'a Chroma model'],
]

/** Tensors that read the picture, patch by patch. */
const patchEmbedders = ['img_in', 'x_embedder', 'all_x_embedder.2-1', 'x_embedder.proj', 'pos_embed.proj']

/**
 * The reason why a transformer cannot be used though its names are those of a family, completing a sentence that begins with the file's name;
 * null = it can.
 */
export function refuseVariant(
  { prefix, family }: Pick<TransformerFile, 'prefix' | 'family'>,
  shape: (name: string) => readonly number[] | undefined,
): string | null {
  const foreign = foreignMarks.find(([mark]) => shape(prefix + mark) !== undefined)?.[1]
  if (foreign !== undefined) return `is ${foreign}, which Sepia does not support`
  const inputs = patchEmbedders.map((name) => shape(`${prefix}${name}.weight`)?.[1]).find((each) => each !== undefined)
  const wanted = family === 'flux2-klein' ? 128 : family === 'sd3' ? 16 : 64
  if (inputs === undefined || inputs === wanted) return null
  return `takes ${inputs} input channels instead of ${wanted}; models such as FLUX.1 Fill, Canny and Depth are not supported`
}

/** Text encoders of transformers that come as separate files. */
export type TextEncoderKind = 'clip-l' | 'clip-g' | 't5' | 'qwen3'

/** Separates CLIP-G from the narrower CLIP-L. */
const clipGWidth = 1280

/** Finds a separate text encoder by tensor shapes and file name; null = none. */
export function findTextEncoder(shape: (name: string) => readonly number[] | undefined, name = ''): TextEncoderKind | null {
  if (shape('encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight') !== undefined) return 't5'
  if (shape('model.layers.0.self_attn.q_norm.weight') !== undefined) return 'qwen3'
  const width = shape('text_model.embeddings.token_embedding.weight')?.[1]
  if (width === undefined || shape('text_model.encoder.layers.0.mlp.fc1.weight') === undefined) return null
  return width >= clipGWidth || /clip[-_]?g/iu.test(name) ? 'clip-g' : 'clip-l'
}

/** Width of a text encoder's hidden states. */
export function textEncoderWidth(shape: (name: string) => readonly number[] | undefined): number | null {
  const tables = ['shared.weight', 'encoder.embed_tokens.weight', 'model.embed_tokens.weight']
  return tables.map((name) => shape(name)?.[1]).find((width) => width !== undefined) ?? null
}

/** Width of the hidden states a transformer expects from its language model or T5. */
export function textWidthOf(
  { prefix, family }: Pick<TransformerFile, 'prefix' | 'family'>,
  shape: (name: string) => readonly number[] | undefined,
): number | undefined {
  const embedders = ['txt_in.weight', 'context_embedder.weight', 'cap_embedder.1.weight']
  const width = embedders.map((name) => shape(prefix + name)?.[1]).find((each) => each !== undefined)
  // klein concatenates three hidden states.
  return family === 'flux2-klein' && width !== undefined ? width / 3 : width
}

/** A text input of a family: its encoder, its component name in diffusers, and its prefix in single files. */
export interface TextSource {
  readonly kind: TextEncoderKind
  readonly component: 'text_encoder' | 'text_encoder_2' | 'text_encoder_3'
  /** Name of its tokenizer's component, if not bundled. */
  readonly tokenizer: 'tokenizer' | 'tokenizer_2' | 'tokenizer_3' | null
  readonly inside: string
  /** Whether the model can draw without it. */
  readonly optional: boolean
}

const clipL = {
  kind: 'clip-l',
  component: 'text_encoder',
  tokenizer: null,
  inside: 'text_encoders.clip_l.transformer.',
  optional: false,
} as const

const t5 = { kind: 't5', inside: 'text_encoders.t5xxl.transformer.' } as const

const qwen3 = {
  kind: 'qwen3',
  component: 'text_encoder',
  tokenizer: 'tokenizer',
  inside: 'text_encoders.qwen3_4b.transformer.',
  optional: false,
} as const

const fluxText: readonly TextSource[] = [clipL, { ...t5, component: 'text_encoder_2', tokenizer: 'tokenizer_2', optional: false }]

/** Text inputs of each family, in the order of diffusers' components. */
export const familyTexts: Readonly<Record<TransformerFamily, readonly TextSource[]>> = {
  'flux-dev': fluxText,
  'flux-schnell': fluxText,
  'flux2-klein': [qwen3],
  'z-image': [qwen3],
  sd3: [
    clipL,
    { ...clipL, kind: 'clip-g', component: 'text_encoder_2', inside: 'text_encoders.clip_g.transformer.' },
    { ...t5, component: 'text_encoder_3', tokenizer: 'tokenizer_3', optional: true },
  ],
}
