import { open } from 'node:fs/promises'
import { align, ggufValue, writeGgufHead } from '../../test/support/model-files/gguf-file.ts'
import { readGoldenCheckpoints } from '../../test/support/model-files/golden-checkpoints.ts'
import { randomTensor, type TensorType, tensorTypes } from '../text/random-tensor.ts'

/** Rows before columns, as PyTorch has them. */
type Shape = readonly [name: string, shape: readonly number[]]

/** Blocks that are left out make a smaller model of the same make. */
const blocks = (count: number, most: number, list: (i: number) => readonly Shape[]): readonly Shape[] =>
  Array.from({ length: Math.min(count, most) }, (_, i) => list(i)).flat()
const linear = (name: string, rows: number, columns: number): readonly Shape[] => [
  [`${name}.weight`, [rows, columns]],
  [`${name}.bias`, [rows]],
]

interface NamedTensor {
  readonly name: string
  readonly shape: readonly number[]
}

/** Every tensor of SDXL's single file; attention deeper than `depth` blocks is left out. */
export async function sdxlShapes(depth: number): Promise<readonly Shape[]> {
  const names = (await readGoldenCheckpoints()).get('names-sdxl.json')
  const list: { readonly tensors: readonly { readonly original: readonly NamedTensor[] }[] } = JSON.parse(names?.toString() ?? '{}')
  const isKept = ({ name }: NamedTensor) => Number(/transformer_blocks\.(\d+)\./u.exec(name)?.[1] ?? 0) < depth
  const kept = list.tensors.flatMap(({ original }) => original).filter(isKept)
  return [...new Map(kept.map(({ name, shape }): Shape => [name, shape]))]
}

/** Z-Image-Turbo's 6.15 B parameters, in its original names. */
export function zImageShapes(depth: number): readonly Shape[] {
  const [width, hidden] = [3840, 10_240]
  const block = (name: string, isModulated: boolean): readonly Shape[] => [
    ...(isModulated ? linear(`${name}.adaLN_modulation.0`, 4 * width, 256) : []),
    [`${name}.attention.qkv.weight`, [3 * width, width]],
    [`${name}.attention.out.weight`, [width, width]],
    ...['q_norm', 'k_norm'].map((norm): Shape => [`${name}.attention.${norm}.weight`, [128]]),
    [`${name}.feed_forward.w1.weight`, [hidden, width]],
    [`${name}.feed_forward.w2.weight`, [width, hidden]],
    [`${name}.feed_forward.w3.weight`, [hidden, width]],
    ...['attention_norm1', 'attention_norm2', 'ffn_norm1', 'ffn_norm2'].map((norm): Shape => [`${name}.${norm}.weight`, [width]]),
  ]
  return [
    ...linear('x_embedder', width, 64),
    ...linear('final_layer.linear', 64, width),
    ...linear('final_layer.adaLN_modulation.1', width, 256),
    ...linear('t_embedder.mlp.0', 1024, 256),
    ...linear('t_embedder.mlp.2', 256, 1024),
    ...linear('cap_embedder.1', width, 2560),
    ['cap_embedder.0.weight', [2560]],
    ['x_pad_token', [1, width]],
    ['cap_pad_token', [1, width]],
    ...blocks(2, 2, (i) => block(`noise_refiner.${i}`, true)),
    ...blocks(2, 2, (i) => block(`context_refiner.${i}`, false)),
    ...blocks(depth, 30, (i) => block(`layers.${i}`, true)),
  ]
}

/** FLUX.1-schnell's 11.9 B parameters, in its original names. */
export function fluxShapes(depth: number): readonly Shape[] {
  const [width, hidden] = [3072, 12_288]
  const norms = (name: string): readonly Shape[] => ['query_norm', 'key_norm'].map((norm): Shape => [`${name}.${norm}.scale`, [128]])
  const double = (i: number): readonly Shape[] =>
    ['img', 'txt'].flatMap((part) => {
      const name = `double_blocks.${i}.${part}`
      return [
        ...linear(`${name}_mod.lin`, 6 * width, width),
        ...linear(`${name}_attn.qkv`, 3 * width, width),
        ...linear(`${name}_attn.proj`, width, width),
        ...norms(`${name}_attn.norm`),
        ...linear(`${name}_mlp.0`, hidden, width),
        ...linear(`${name}_mlp.2`, width, hidden),
      ]
    })
  const single = (i: number): readonly Shape[] => [
    ...linear(`single_blocks.${i}.modulation.lin`, 3 * width, width),
    ...linear(`single_blocks.${i}.linear1`, 3 * width + hidden, width),
    ...linear(`single_blocks.${i}.linear2`, width, width + hidden),
    ...norms(`single_blocks.${i}.norm`),
  ]
  return [
    ...linear('img_in', width, 64),
    ...linear('txt_in', width, 4096),
    ...['time_in', 'vector_in'].flatMap((name) => [
      ...linear(`${name}.in_layer`, width, name === 'time_in' ? 256 : 768),
      ...linear(`${name}.out_layer`, width, width),
    ]),
    ...blocks(depth, 19, double),
    ...blocks(2 * depth, 38, single),
    ...linear('final_layer.linear', 64, width),
    ...linear('final_layer.adaLN_modulation.1', 2 * width, width),
  ]
}

/** Qwen3 4B, in llama.cpp's names. */
export function qwen3Shapes(): readonly Shape[] {
  const [width, hidden] = [2560, 9728]
  const block = (i: number): readonly Shape[] => [
    [`blk.${i}.attn_q.weight`, [4096, width]],
    [`blk.${i}.attn_k.weight`, [1024, width]],
    [`blk.${i}.attn_v.weight`, [1024, width]],
    [`blk.${i}.attn_output.weight`, [width, 4096]],
    [`blk.${i}.attn_q_norm.weight`, [128]],
    [`blk.${i}.attn_k_norm.weight`, [128]],
    [`blk.${i}.ffn_gate.weight`, [hidden, width]],
    [`blk.${i}.ffn_up.weight`, [hidden, width]],
    [`blk.${i}.ffn_down.weight`, [width, hidden]],
    [`blk.${i}.attn_norm.weight`, [width]],
    [`blk.${i}.ffn_norm.weight`, [width]],
  ]
  return [['token_embd.weight', [151_936, width]], ...blocks(36, 36, block), ['output_norm.weight', [width]]]
}

/** The encoder of T5 v1.1 XXL, in llama.cpp's names. */
export function t5Shapes(): readonly Shape[] {
  const [width, hidden] = [4096, 10_240]
  const block = (i: number): readonly Shape[] => [
    ...['q', 'k', 'v', 'o'].map((part): Shape => [`enc.blk.${i}.attn_${part}.weight`, [width, width]]),
    ...(i === 0 ? [[`enc.blk.0.attn_rel_b.weight`, [32, 64]] as const] : []),
    [`enc.blk.${i}.attn_norm.weight`, [width]],
    [`enc.blk.${i}.ffn_gate.weight`, [hidden, width]],
    [`enc.blk.${i}.ffn_up.weight`, [hidden, width]],
    [`enc.blk.${i}.ffn_down.weight`, [width, hidden]],
    [`enc.blk.${i}.ffn_norm.weight`, [width]],
  ]
  return [['token_embd.weight', [32_128, width]], ...blocks(24, 24, block), ['enc.output_norm.weight', [width]]]
}

/** CLIP-L, in transformers' names. */
export function clipShapes(): readonly Shape[] {
  const width = 768
  const block = (i: number): readonly Shape[] => {
    const name = `text_model.encoder.layers.${i}`
    const norms = ['layer_norm1', 'layer_norm2'].flatMap((norm): readonly Shape[] => [
      [`${name}.${norm}.weight`, [width]],
      [`${name}.${norm}.bias`, [width]],
    ])
    const parts = ['k_proj', 'v_proj', 'q_proj', 'out_proj'].flatMap((part) => linear(`${name}.self_attn.${part}`, width, width))
    return [...parts, ...linear(`${name}.mlp.fc1`, 4 * width, width), ...linear(`${name}.mlp.fc2`, width, 4 * width), ...norms]
  }
  return [
    ['text_model.embeddings.token_embedding.weight', [49_408, width]],
    ['text_model.embeddings.position_embedding.weight', [77, width]],
    ...blocks(12, 12, block),
    ['text_model.final_layer_norm.weight', [width]],
    ['text_model.final_layer_norm.bias', [width]],
    ['text_projection.weight', [width, width]],
  ]
}

/** The VAE of FLUX.1 and Z-Image, in its original names. */
export function vaeShapes(): readonly Shape[] {
  const convolution = (name: string, rows: number, columns: number, side = 3): readonly Shape[] => [
    [`${name}.weight`, [rows, columns, side, side]],
    [`${name}.bias`, [rows]],
  ]
  const norm = (name: string, width: number): readonly Shape[] => [
    [`${name}.weight`, [width]],
    [`${name}.bias`, [width]],
  ]
  const block = (name: string, from: number, to: number): readonly Shape[] => [
    ...norm(`${name}.norm1`, from),
    ...convolution(`${name}.conv1`, to, from),
    ...norm(`${name}.norm2`, to),
    ...convolution(`${name}.conv2`, to, to),
    ...(from === to ? [] : convolution(`${name}.nin_shortcut`, to, from, 1)),
  ]
  const middle = (name: string): readonly Shape[] => [
    ...block(`${name}.block_1`, 512, 512),
    ...norm(`${name}.attn_1.norm`, 512),
    ...['q', 'k', 'v', 'proj_out'].flatMap((part) => convolution(`${name}.attn_1.${part}`, 512, 512, 1)),
    ...block(`${name}.block_2`, 512, 512),
  ]
  const widths = [128, 256, 512, 512] as const
  const level = (name: string, count: number, from: number, to: number): readonly Shape[] =>
    Array.from({ length: count }, (_, i) => block(`${name}.block.${i}`, i === 0 ? from : to, to)).flat()
  return [
    ...convolution('encoder.conv_in', 128, 3),
    ...widths.flatMap((width, i) => [
      ...level(`encoder.down.${i}`, 2, widths[i - 1] ?? 128, width),
      ...(i < 3 ? convolution(`encoder.down.${i}.downsample.conv`, width, width) : []),
    ]),
    ...middle('encoder.mid'),
    ...norm('encoder.norm_out', 512),
    ...convolution('encoder.conv_out', 32, 512),
    ...convolution('decoder.conv_in', 512, 16),
    ...middle('decoder.mid'),
    ...widths.flatMap((width, i) => [
      ...level(`decoder.up.${i}`, 3, widths[i + 1] ?? 512, width),
      ...(i > 0 ? convolution(`decoder.up.${i}.upsample.conv`, width, width) : []),
    ]),
    ...norm('decoder.norm_out', 128),
    ...convolution('decoder.conv_out', 3, 128),
  ]
}

/** Bytes of random numbers that are written over and over, so that no tensor is ever held in memory. */
const tileBytes = 32 * 1024 * 1024

interface Planned {
  readonly name: string
  readonly shape: readonly number[]
  readonly type: TensorType
  readonly bytes: number
  readonly numbers: 'random' | 'one' | 'zero'
}

interface RandomWeights {
  readonly shapes: readonly Shape[]
  readonly matrices: TensorType
  /** Type of biases and norms; single precision where it is left out. */
  readonly vectors?: TensorType
  readonly architecture?: string
}

function planTensors({ shapes, matrices, vectors = 'f32' }: RandomWeights): readonly Planned[] {
  return shapes.map(([name, shape]) => {
    // Embedders and the like stay in half precision in quantised files.
    const isMatrix = shape.length === 2 && /blocks|layers|blk|refiner|token_embd/u.test(name) && !name.includes('attn_rel_b')
    const type = shape.length === 1 || name.includes('pad_token') ? vectors : isMatrix ? matrices : 'f16'
    const { values, bytes } = tensorTypes[type]
    const numbers = type !== 'f32' ? 'random' : /bias|pad_token/u.test(name) ? 'zero' : 'one'
    return { name, shape, type, bytes: (shape.reduce((product, size) => product * size, 1) / values) * bytes, numbers }
  })
}

/** Writes a file of weights, as GGUF if it has an architecture and as safetensors otherwise. @returns Its parameters. */
export async function writeRandomWeights(path: string, weights: RandomWeights): Promise<number> {
  const { shapes, architecture } = weights
  const tensors = planTensors(weights)
  await using file = await open(path, 'w')
  if (architecture === undefined) await file.appendFile(safetensorsHead(tensors))
  else
    await file.appendFile(
      writeGgufHead(
        [['general.architecture', ggufValue(architecture)]],
        tensors.map(({ name, shape, type, bytes }) => ({ name, shape: shape.toReversed(), type: tensorTypes[type].id, bytes })),
      ),
    )
  const tiles = new Map<string, Buffer>()
  for (const { type, bytes, numbers } of tensors) {
    const tile = tiles.get(type + numbers) ?? makeTile(type, numbers)
    tiles.set(type + numbers, tile)
    for (let left = bytes; left > 0; left -= tile.length) await file.appendFile(tile.subarray(0, Math.min(left, tile.length)))
    if (architecture !== undefined) await file.appendFile(Buffer.alloc(align(bytes) - bytes))
  }
  return shapes.reduce((sum, [, shape]) => sum + shape.reduce((product, size) => product * size, 1), 0)
}

function makeTile(type: TensorType, numbers: Planned['numbers']): Buffer {
  const { values, bytes } = tensorTypes[type]
  const count = Math.floor(tileBytes / bytes) * values
  return numbers === 'zero' ? Buffer.alloc(tileBytes) : randomTensor([count], type).data
}

function safetensorsHead(tensors: readonly Planned[]): Buffer {
  const header: Record<string, object> = {}
  let at = 0
  for (const { name, shape, type, bytes } of tensors) {
    header[name] = { dtype: type.toUpperCase(), shape, data_offsets: [at, at + bytes] }
    at += bytes
  }
  const json = Buffer.from(JSON.stringify(header))
  const start = Buffer.alloc(8)
  start.writeBigUInt64LE(BigInt(json.length))
  return Buffer.concat([start, json])
}
