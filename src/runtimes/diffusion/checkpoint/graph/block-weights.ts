import type { BlockType } from '../../../../core/gguf/ggml-types.ts'
import { type OnnxAttribute, onnxTypes } from './onnx-messages.ts'

/** Graph operations needed for decoding blocks. */
export interface BlockGraph {
  node(type: string, inputs: readonly string[], attributes?: Readonly<Record<string, OnnxAttribute>>): string
  integers(values: readonly number[], shape?: readonly number[]): string
  floats(values: readonly number[], shape: readonly number[], type: 'float32'): string
  /** A constant of bytes. */
  bytes(values: readonly number[], shape: readonly number[]): string
  toSingle(value: string): string
  once(key: string, make: () => string): string
}

/** Numbers in groups that share a scale and a minimum: each value is (number − middle) · scale − minimum. */
interface Groups {
  /** [groups, numbers per group], of 8 bits; without a sign where there is a middle. */
  readonly numbers: string
  /** [groups] */
  readonly scale: string
  /** Default 0. */
  readonly middle?: number
  /** [groups, 1] */
  readonly minimum?: string
}

/**
 * The numbers that blocks stand for in single precision, [groups, numbers per group], in the order of the weight. Decoded right before a
 * product of 1100 rows they add a twentieth to its time; MatMulNBits, which decodes mapped blocks for each product as well, adds a quarter.
 *
 * @param blocks Their bytes, [blocks, bytes].
 * @see https://github.com/ggml-org/ggml/blob/master/src/ggml-common.h for the layouts
 */
export function decodeBlocks(graph: BlockGraph, type: BlockType, blocks: string): string {
  const { numbers, scale, middle, minimum } = decoders[type](new Blocks(graph, blocks))
  // A scale for each row, as of channels, takes a third of the time of scales for runs of numbers.
  const zero = middle === undefined ? [] : [graph.node('Expand', [graph.bytes([middle], [1]), graph.node('Shape', [scale])])]
  const scaled = graph.node('DequantizeLinear', [numbers, scale, ...zero], { axis: 0 })
  return minimum === undefined ? scaled : graph.node('Sub', [scaled, minimum])
}

const decoders: Readonly<Record<BlockType, (blocks: Blocks) => Groups>> = {
  Q4_0: (b) => ({ numbers: b.nibbles(2), scale: b.half(0), middle: 8 }),
  Q4_1: (b) => ({ numbers: b.nibbles(4), scale: b.half(0), minimum: b.each(b.negative(b.half(1))) }),
  Q5_0: (b) => ({ numbers: b.or(b.nibbles(6), b.fifthBits(2)), scale: b.half(0), middle: 16 }),
  Q5_1: (b) => ({ numbers: b.or(b.nibbles(8), b.fifthBits(4)), scale: b.half(0), minimum: b.each(b.negative(b.half(1))) }),
  Q8_0: (b) => ({ numbers: b.signed(2, 34), scale: b.half(0) }),
  Q2_K: (b) => {
    const scales = b.cut(0, 16)
    return {
      numbers: b.shape(b.twoBits(16), [-1, 16]),
      scale: b.flat(b.times(b.low(scales, 4), b.half(40))),
      minimum: b.each(b.times(b.right(scales, [4]), b.half(41))),
    }
  },
  Q3_K: (b) => {
    const [first, second, third] = [b.cut(96, 100), b.cut(100, 104), b.cut(104, 108)]
    const highs = (shift: number) => b.left(b.low(b.right(third, [shift]), 2), 4)
    const scales = b.join([
      b.or(b.low(first, 4), highs(0)),
      b.or(b.low(second, 4), highs(2)),
      b.or(b.right(first, [4]), highs(4)),
      b.or(b.right(second, [4]), highs(6)),
    ])
    const high = b.left(b.bits(b.shape(b.cut(0, 32), [-1, 1, 32])), 2)
    const numbers = b.or(b.shape(b.twoBits(32), [-1, 8, 32]), high)
    return { numbers: b.shape(numbers, [-1, 16]), scale: b.flat(b.times(scales, b.half(54), 32)), middle: 4 }
  },
  Q4_K: (b) => ({ numbers: b.shape(b.pairs(16, 144, 32), [-1, 32]), ...b.sixBitScales() }),
  Q5_K: (b) => {
    const high = b.left(b.bits(b.shape(b.cut(16, 48), [-1, 1, 32])), 4)
    const numbers = b.or(b.shape(b.pairs(48, 176, 32), [-1, 8, 32]), high)
    return { numbers: b.shape(numbers, [-1, 32]), ...b.sixBitScales() }
  },
  Q6_K: (b) => {
    const low = b.shape(b.pairs(0, 128, 64), [-1, 2, 4, 32])
    const high = b.left(b.low(b.right(b.shape(b.cut(128, 192), [-1, 2, 1, 32]), [0, 2, 4, 6]), 2), 4)
    const scale = b.flat(b.times(b.signed(192, 208), b.half(104)))
    return { numbers: b.shape(b.or(low, high), [-1, 16]), scale, middle: 32 }
  },
}

/** Every number in half precision, by its bits. */
function allHalves(): readonly number[] {
  return [...new Float16Array(Uint16Array.from({ length: 0x10000 }, (_, bits) => bits).buffer)]
}

/** Operations on the bytes of blocks. */
class Blocks {
  readonly #graph: BlockGraph
  readonly #blocks: string

  constructor(graph: BlockGraph, blocks: string) {
    this.#graph = graph
    this.#blocks = blocks
  }

  cut(from: number, to: number): string {
    const graph = this.#graph
    return graph.node('Slice', [this.#blocks, graph.integers([from]), graph.integers([to]), graph.integers([1])])
  }

  /** Bytes with a sign: the runtime's cast keeps their bits. */
  signed(from: number, to: number): string {
    return this.#graph.node('Cast', [this.cut(from, to)], { to: onnxTypes.int8 })
  }

  /**
   * One number in half precision of each block, as single precision [blocks]: looked up by its bits, because another view of the file
   * would count each of its pages twice as the memory of the process. GatherElements takes a fifth of Gather's time,
   * and a product with a vector instead of a column doubles that of the whole decoding.
   */
  half(index: number): string {
    const graph = this.#graph
    const pair = graph.toSingle(this.cut(2 * index, 2 * index + 2))
    const bits = graph.node('MatMul', [pair, graph.floats([1, 256], [2, 1], 'float32')])
    const values = graph.once('halves', () => graph.floats(allHalves(), [0x10000], 'float32'))
    const places = graph.node('Cast', [this.flat(bits)], { to: onnxTypes.int32 })
    return graph.node('GatherElements', [values, places], { axis: 0 })
  }

  shape(value: string, sizes: readonly number[]): string {
    return this.#graph.node('Reshape', [value, this.#graph.integers(sizes)])
  }

  or(a: string, b: string): string {
    return this.#graph.node('BitwiseOr', [a, b])
  }

  join(values: readonly string[]): string {
    return this.#graph.node('Concat', values, { axis: -1 })
  }

  /** The lowest bits. */
  low(value: string, bits: number): string {
    return this.#graph.node('BitwiseAnd', [value, this.#graph.bytes([2 ** bits - 1], [])])
  }

  left(value: string, by: number): string {
    return this.#graph.node('BitShift', [value, this.#graph.bytes([by], [])], { direction: 'LEFT' })
  }

  /** [..., 1, n] shifted by each of several numbers of bits: [..., shifts, n]; by one: of the same shape. */
  right(value: string, shifts: readonly number[]): string {
    const by = this.#graph.bytes(shifts, shifts.length === 1 ? [] : [shifts.length, 1])
    return this.#graph.node('BitShift', [value, by], { direction: 'RIGHT' })
  }

  /** Each of the eight bits of [..., 1, n]: [..., 8, n]. */
  bits(value: string): string {
    return this.low(this.right(value, [0, 1, 2, 3, 4, 5, 6, 7]), 1)
  }

  /** 32 numbers of four bits: the lower halves of 16 bytes, then the upper ones. */
  nibbles(from: number): string {
    const bytes = this.cut(from, from + 16)
    // A sixteenth of a byte less 15/32 lies within half of its upper four bits.
    const upper = this.#addRounded([bytes, 1 / 16], [this.#graph.bytes([15], []), -1 / 32])
    return this.join([this.#addRounded([bytes, 1], [upper, -16]), upper])
  }

  /** Bytes times a factor plus other bytes times theirs, rounded to bytes: takes a quarter of the time of shifting and masking bits. */
  #addRounded([bytes, factor]: readonly [string, number], [others, otherFactor]: readonly [string, number]): string {
    const scale = (value: number) => this.#graph.floats([value], [], 'float32')
    const zero = this.#graph.bytes([0], [])
    return this.#graph.node('com.microsoft:QLinearAdd', [bytes, scale(factor), zero, others, scale(otherFactor), zero, scale(1), zero])
  }

  /** The fifth bits of 32 numbers, from the lowest of four bytes on. */
  fifthBits(from: number): string {
    const bytes = this.shape(this.cut(from, from + 4), [-1, 4, 1])
    const shifted = this.#graph.node('BitShift', [bytes, this.#graph.bytes([0, 1, 2, 3, 4, 5, 6, 7], [8])], { direction: 'RIGHT' })
    return this.left(this.shape(this.low(shifted, 1), [-1, 32]), 4)
  }

  /** Runs of `run` bytes, each as its lower halves, then its upper ones: [blocks, runs, 2, run]. */
  pairs(from: number, to: number, run: number): string {
    return this.low(this.right(this.shape(this.cut(from, to), [-1, (to - from) / run, 1, run]), [0, 4]), 4)
  }

  /** 256 numbers of two bits in 64 bytes: [blocks, 2, 4, 32]. */
  twoBits(from: number): string {
    return this.low(this.right(this.shape(this.cut(from, from + 64), [-1, 2, 1, 32]), [0, 2, 4, 6]), 2)
  }

  /** Integers [blocks, n] minus `middle`, times one factor per block. */
  times(numbers: string, half: string, middle = 0): string {
    const single = this.#graph.toSingle(numbers)
    const counted = middle === 0 ? single : this.#graph.node('Sub', [single, this.#graph.floats([middle], [], 'float32')])
    return this.#graph.node('Mul', [counted, this.each(half)])
  }

  /** All numbers in one row. */
  flat(value: string): string {
    return this.shape(value, [-1])
  }

  /** One row for each number. */
  each(value: string): string {
    return this.shape(value, [-1, 1])
  }

  negative(value: string): string {
    return this.#graph.node('Neg', [value])
  }

  /** Eight scales and minima of six bits, in twelve bytes after two half-precision numbers. */
  sixBitScales(): Pick<Groups, 'scale' | 'minimum'> {
    const [first, second, third] = [this.cut(4, 8), this.cut(8, 12), this.cut(12, 16)]
    const high = (value: string) => this.left(this.right(value, [6]), 4)
    const scales = this.join([this.low(first, 6), this.or(this.low(third, 4), high(first))])
    const minima = this.join([this.low(second, 6), this.or(this.right(third, [4]), high(second))])
    return { scale: this.flat(this.times(scales, this.half(0))), minimum: this.each(this.times(minima, this.half(1))) }
  }
}
