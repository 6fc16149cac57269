import { type GgufEntry, type GgufTensor, ggufFloat, ggufValue, readGgufHeader, writeGguf } from './gguf-file.ts'
import { readGgufTensors } from './read-tensors.ts'

const [float32, q8] = [0, 8]
const rank = 4
/** By which the product of an adapter's matrices counts, four times over. */
const alpha = 8

/** Numbers that a seed determines, from −1 to 1. */
function createNoise(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 31 - 1
  }
}

/** A matrix of an adapter: `b` × `a` is added to the weights of the same name. */
interface Change {
  readonly name: string
  /** Columns and rows of the weights. */
  readonly shape: readonly [columns: number, rows: number]
  /** [rank, columns] */
  readonly a: Float32Array
  /** [rows, rank] */
  readonly b: Float32Array
}

/** A random LoRA for some weights of a model; equal seeds, equal adapters. */
export function makeAdapter(base: Buffer, seed: number, weights = /^blk\.[0-3]\.(?:attn_[qv]|ffn_down)\.weight$/): readonly Change[] {
  const noise = createNoise(seed)
  const random = (length: number, size: number) => Float32Array.from({ length }, () => noise() * size)
  return readGgufTensors(base).flatMap(({ name, shape: [columns = 0, rows = 0] }) =>
    weights.test(name) ? [{ name, shape: [columns, rows], a: random(rank * columns, 0.1), b: random(rows * rank, 0.1) }] : [],
  )
}

/** The file of an adapter, as llama.cpp's `convert_lora_to_gguf.py` writes it. */
export function writeAdapter(changes: readonly Change[], architecture = 'llama', more: readonly GgufEntry[] = []): Buffer {
  const header: readonly GgufEntry[] = [
    ['general.type', ggufValue('adapter')],
    ['general.architecture', ggufValue(architecture)],
    ['adapter.type', ggufValue('lora')],
    ['adapter.lora.alpha', ggufFloat(alpha)],
    ...more,
  ]
  const tensors = changes.flatMap(({ name, shape: [columns, rows], a, b }): readonly GgufTensor[] => [
    { name: `${name}.lora_a`, shape: [columns, rank], type: float32, data: Buffer.from(a.buffer) },
    { name: `${name}.lora_b`, shape: [rank, rows], type: float32, data: Buffer.from(b.buffer) },
  ])
  return writeGguf(header, tensors)
}

/** A model's file at 32 bits, with the products of adapters added to its weights. */
export function mergeAdapters(base: Buffer, adapters: readonly { readonly changes: readonly Change[]; readonly scale: number }[]): Buffer {
  const tensors = readGgufTensors(base).map((tensor): GgufTensor => {
    if (tensor.type !== q8) return tensor
    const numbers = readBlocks(tensor.data)
    for (const { changes, scale } of adapters)
      for (const change of changes) if (change.name === tensor.name) addProduct(numbers, change, (scale * alpha) / rank)
    return { ...tensor, type: float32, data: Buffer.from(numbers.buffer) }
  })
  return writeGguf(readGgufHeader(base), tensors)
}

function addProduct(numbers: Float32Array, { shape: [columns, rows], a, b }: Change, scale: number): void {
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      let sum = 0
      for (let each = 0; each < rank; each++) sum += (b[row * rank + each] ?? 0) * (a[each * columns + column] ?? 0)
      numbers[row * columns + column] = (numbers[row * columns + column] ?? 0) + scale * sum
    }
}

/** The numbers of blocks of type Q8_0: a scale at 16 bits and 32 whole numbers. */
function readBlocks(data: Buffer): Float32Array {
  const numbers = new Float32Array((data.length / 34) * 32)
  for (let block = 0; block < data.length / 34; block++) {
    const scale = readHalf(data.readUInt16LE(block * 34))
    for (let index = 0; index < 32; index++) numbers[block * 32 + index] = scale * data.readInt8(block * 34 + 2 + index)
  }
  return numbers
}

function readHalf(bits: number): number {
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023]
  const size = exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15)
  return bits >> 15 === 1 ? -size : size
}
