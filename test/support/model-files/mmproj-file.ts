import type { VisionFamily } from '../../../src/core/gguf/projector-facts.ts'
import { type GgufEntry, type GgufTensor, ggufFloat, ggufFloats, ggufValue, writeGguf } from './gguf-file.ts'
import { deepLayers } from './seeing-gguf.ts'

const [width, hidden, heads, layers, patch, patches] = [64, 96, 2, 2, 14, 4] as const
/** Sides of the squares that the miniature towers look at. */
const towerSide = patch * patches
const merge = 2

/** Sizes and tensors that a kind of model has beside the vision transformer. */
interface Kind {
  readonly entries: readonly GgufEntry[]
  readonly shapes: (textWidth: number) => readonly Shape[]
  readonly transformer: () => readonly Shape[]
  /** Of the weights: one with which no answer to the tests' questions hangs on two tokens that are about as likely. */
  readonly seed: number
}

type Shape = readonly [name: string, shape: readonly number[]]

const scale: GgufEntry = ['clip.vision.projector.scale_factor', ggufValue(merge)]

const kinds: Readonly<Record<VisionFamily, Kind>> = {
  mlp: {
    seed: 3,
    entries: [],
    shapes: (textWidth) => [...linear('mm.0', width, textWidth), ...linear('mm.2', textWidth, textWidth)],
    transformer: () => transformer('v.pre_ln'),
  },
  idefics3: {
    seed: 8,
    entries: [scale, ['clip.vision.preproc_image_size', ggufValue(2 * towerSide)], ['clip.use_gelu', ggufValue(true)]],
    shapes: (textWidth) => [['mm.model.fc.weight', [width * merge * merge, textWidth]]],
    transformer: () => transformer('v.post_ln'),
  },
  gemma3: {
    seed: 6,
    entries: [scale, ['clip.use_gelu', ggufValue(true)]],
    shapes: (textWidth) => [
      ['mm.soft_emb_norm.weight', [width]],
      ['mm.input_projection.weight', [textWidth, width]],
    ],
    transformer: () => transformer('v.post_ln'),
  },
  qwen2vl_merger: {
    seed: 21,
    entries: [],
    shapes: (textWidth) => squareLayers(['mm.0', 'mm.2'], textWidth),
    transformer: () => [
      ...twoFrames,
      ...norm('v.post_ln'),
      ...perLayer((of) => [
        ...['attn_q', 'attn_k', 'attn_v', 'attn_out'].flatMap((name) => linear(of(name), width, width)),
        ...[...norm(of('ln1')), ...norm(of('ln2'))],
        ...[...linear(of('ffn_up'), width, hidden), ...linear(of('ffn_down'), hidden, width)],
      ]),
    ],
  },
  'qwen2.5vl_merger': {
    seed: 17,
    entries: [
      ['clip.use_silu', ggufValue(true)],
      ['clip.vision.n_wa_pattern', ggufValue(2)],
    ],
    shapes: (textWidth) => squareLayers(['mm.0', 'mm.2'], textWidth),
    transformer: () => [
      ...twoFrames,
      ['v.post_ln.weight', [width]],
      ...perLayer((of) => [
        ...['attn_q', 'attn_k', 'attn_v', 'attn_out'].flatMap((name) => linear(of(name), width, width)),
        [of('ln1.weight'), [width]],
        [of('ln2.weight'), [width]],
        ...['ffn_gate', 'ffn_up'].flatMap((name) => linear(of(name), width, hidden)),
        ...linear(of('ffn_down'), hidden, width),
      ]),
    ],
  },
  qwen3vl_merger: {
    seed: 39,
    entries: [['clip.use_gelu', ggufValue(true)]],
    shapes: (textWidth) => [
      ...squareLayers(['mm.0', 'mm.2'], textWidth),
      ...Array.from({ length: deepLayers }, (_, layer) => [
        ...norm(`v.deepstack.${layer}.norm`, width * merge * merge),
        ...squareLayers([`v.deepstack.${layer}.fc1`, `v.deepstack.${layer}.fc2`], textWidth),
      ]).flat(),
    ],
    transformer: () => [
      ...twoFrames,
      ['v.patch_embd.bias', [width]],
      ['v.position_embd.weight', [width, patches * patches]],
      ...norm('v.post_ln'),
      ...perLayer((of) => [
        ...linear(of('attn_qkv'), width, 3 * width),
        ...linear(of('attn_out'), width, width),
        ...[...norm(of('ln1')), ...norm(of('ln2'))],
        ...[...linear(of('ffn_up'), width, hidden), ...linear(of('ffn_down'), hidden, width)],
      ]),
    ],
  },
}

const twoFrames: readonly Shape[] = ['v.patch_embd.weight', 'v.patch_embd.weight.1'].map((name) => [name, [patch, patch, 3, width]])

/** Two layers that make of each square of patches a vector for the language model. */
function squareLayers([first, second]: readonly [string, string], textWidth: number): readonly Shape[] {
  const square = width * merge * merge
  return [...linear(first, square, square), ...linear(second, square, textWidth)]
}

/** A miniature mmproj file with random weights for a language model whose tokens have vectors of `textWidth` numbers. */
export function writeMmproj(family: VisionFamily, textWidth: number, more: readonly GgufEntry[] = []): Buffer {
  const { entries, shapes, transformer, seed } = kinds[family]
  const header: readonly GgufEntry[] = [
    ['general.architecture', ggufValue('clip')],
    ['general.type', ggufValue('mmproj')],
    ['clip.has_vision_encoder', ggufValue(true)],
    ['clip.projector_type', ggufValue(family)],
    ['clip.vision.image_size', ggufValue(towerSide)],
    ['clip.vision.patch_size', ggufValue(patch)],
    ['clip.vision.embedding_length', ggufValue(width)],
    ['clip.vision.feed_forward_length', ggufValue(hidden)],
    ['clip.vision.projection_dim', ggufValue(textWidth)],
    ['clip.vision.block_count', ggufValue(layers)],
    ['clip.vision.attention.head_count', ggufValue(heads)],
    ['clip.vision.attention.layer_norm_epsilon', ggufFloat(1e-6)],
    ['clip.vision.image_mean', ggufFloats([0.5, 0.45, 0.4])],
    ['clip.vision.image_std', ggufFloats([0.5, 0.25, 0.3])],
    ...entries,
    ...more,
  ]
  const random = createRandom(seed)
  const all = [...transformer(), ...shapes(textWidth)]
  return writeGguf(
    header,
    all.map(([name, shape]) => makeTensor(name, shape, random)),
  )
}

function transformer(outerNorm: 'v.pre_ln' | 'v.post_ln'): readonly Shape[] {
  return [
    ['v.patch_embd.weight', [patch, patch, 3, width]],
    ['v.patch_embd.bias', [width]],
    ['v.position_embd.weight', [width, patches * patches]],
    ...norm(outerNorm),
    ...perLayer((of) => [
      ...['attn_q', 'attn_k', 'attn_v', 'attn_out'].flatMap((name) => linear(of(name), width, width)),
      ...[...norm(of('ln1')), ...norm(of('ln2'))],
      ...[...linear(of('ffn_up'), width, hidden), ...linear(of('ffn_down'), hidden, width)],
    ]),
  ]
}

function perLayer(shapes: (of: (name: string) => string) => readonly Shape[]): readonly Shape[] {
  return Array.from({ length: layers }, (_, layer) => shapes((name) => `v.blk.${layer}.${name}`)).flat()
}

function linear(name: string, inputs: number, outputs: number): readonly Shape[] {
  return [
    [`${name}.weight`, [inputs, outputs]],
    [`${name}.bias`, [outputs]],
  ]
}

function norm(name: string, of: number = width): readonly Shape[] {
  return [
    [`${name}.weight`, [of]],
    [`${name}.bias`, [of]],
  ]
}

function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32 - 0.5
  }
}

/** The last layer's vectors are as large as those of a language model's tokens. */
function makeTensor(name: string, shape: readonly number[], random: () => number): GgufTensor {
  const isNorm = /(?:ln\d?|norm)\.weight$/.test(name)
  const spread = isNorm ? 0.2 : /^mm\.|deepstack/.test(name) ? 0.1 : 0.3
  const values = Float32Array.from(
    { length: shape.reduce((product, size) => product * size, 1) },
    () => random() * spread + (isNorm ? 1 : 0),
  )
  return { name, shape, type: 0, data: Buffer.from(values.buffer) }
}
