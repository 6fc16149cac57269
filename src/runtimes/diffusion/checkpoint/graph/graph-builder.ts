import type { StoredType } from '../../../../core/checkpoint/safetensors-header.ts'
import { type BlockType, blockSize, isBlockType } from '../../../../core/gguf/ggml-types.ts'
import { unusableModel } from '../../onnx/model-file.ts'
import type { WeightTable } from '../weights/weight-table.ts'
import { type BlockGraph, decodeBlocks } from './block-weights.ts'
import type { GraphTarget } from './find-graph-target.ts'
import {
  encodeOnnxModel,
  type OnnxAttribute,
  type OnnxInitializer,
  type OnnxNode,
  type OnnxSize,
  type OnnxType,
  type OnnxValue,
  onnxTypes,
} from './onnx-messages.ts'

/** The name of a value inside a graph. */
export type Value = string

/** The largest number in half precision. */
const largestHalf = 65_504

const storedTypes: Partial<Record<StoredType, OnnxType>> = {
  F64: 'float64',
  F32: 'float32',
  F16: 'float16',
  BF16: 'bfloat16',
  F8_E4M3: 'float8e4m3',
  F8_E5M2: 'float8e5m2',
}

/** The name of the input with the addition to a tensor. */
export function additionInput(tensor: string): string {
  return `added:${tensor}`
}

/**
 * Builds the graph of a network whose weights are in a checkpoint. Values are float32, or float16 if the target requires it, unless stated
 * otherwise.
 */
export class GraphBuilder implements BlockGraph {
  readonly weights: WeightTable
  readonly #target: GraphTarget
  readonly #changes: { adds(tensor: string): boolean } | null
  readonly #nodes: OnnxNode[] = []
  readonly #initializers = new Map<string, OnnxInitializer>()
  readonly #inputs: OnnxValue[] = []
  readonly #weightInputs: OnnxValue[] = []
  readonly #outputs: OnnxValue[] = []
  readonly #made = new Map<string, Value>()

  /** @param changes Which tensors numbers are added to, which are inputs; null = none. */
  constructor(weights: WeightTable, target: GraphTarget, changes: { adds(tensor: string): boolean } | null = null) {
    this.weights = weights
    this.#changes = changes
    this.#target = target
  }

  /** The form of attention nodes. */
  get attention(): GraphTarget['attention'] {
    return this.#target.attention
  }

  /** Declares an input; one of float32 is computed with as everything is. */
  input(name: string, shape: readonly OnnxSize[], type: OnnxType = 'float32'): Value {
    this.#inputs.push({ name, type, shape })
    return type === 'float32' ? this.narrow(name) : name
  }

  /** Declares an input whose numbers need single precision. */
  wideInput(name: string, shape: readonly OnnxSize[]): Value {
    this.#inputs.push({ name, type: 'float32', shape })
    return name
  }

  /** A float32 value as everything is computed with. */
  narrow(value: Value): Value {
    return this.#target.precision === 'half' ? this.node('Cast', [value], { to: onnxTypes.float16 }) : value
  }

  /** The element type of all computations. */
  get type(): 'float32' | 'float16' {
    return this.#target.precision === 'half' ? 'float16' : 'float32'
  }

  output(value: Value, name: string, shape: readonly OnnxSize[]): void {
    const last =
      this.#target.precision === 'half' ? { type: 'Cast', attributes: { to: onnxTypes.float32 } } : { type: 'Identity', attributes: {} }
    this.#nodes.push({ ...last, inputs: [value], outputs: [name] })
    this.#outputs.push({ name, type: 'float32', shape })
  }

  /** Adds an operator with one output. */
  node(type: string, inputs: readonly Value[], attributes: Readonly<Record<string, OnnxAttribute>> = {}): Value {
    return this.nodes(type, inputs, attributes, 1)[0] ?? ''
  }

  /** Adds an operator with several outputs; one of the runtime's own domain is written `com.microsoft:Name`. */
  nodes(type: string, inputs: readonly Value[], attributes: Readonly<Record<string, OnnxAttribute>>, outputs: number): readonly Value[] {
    const made = Array.from({ length: outputs }, (_, i) => `v${this.#nodes.length}${i === 0 ? '' : `_${i}`}`)
    const [domain, name] = type.split(':')
    const of = name === undefined ? { type } : { type: name, domain: domain ?? '' }
    this.#nodes.push({ ...of, inputs, outputs: made, attributes })
    return made
  }

  integers(values: readonly number[], shape: readonly number[] = [values.length]): Value {
    const bytes = new Uint8Array(BigInt64Array.from(values, BigInt).buffer)
    return this.#constant(`i:${values.join(',')}:${shape.join('x')}`, { type: 'int64', shape, data: bytes })
  }

  /** @param type Another type than everything is computed with. */
  floats(values: readonly number[], shape: readonly number[] = [values.length], type: 'float32' | 'float16' = this.type): Value {
    const clamped = (value: number) => Math.min(Math.max(value, -largestHalf), largestHalf)
    const numbers = type === 'float32' ? Float32Array.from(values) : Float16Array.from(values, clamped)
    const key = values.length <= 4 ? values.join(',') : `#${this.#initializers.size}`
    return this.#constant(`${type}:${key}:${shape.join('x')}`, { type, shape, data: new Uint8Array(numbers.buffer) })
  }

  /** A constant of bytes. */
  bytes(values: readonly number[], shape: readonly number[]): Value {
    return this.#constant(`b:${values.join(',')}:${shape.join('x')}`, { type: 'uint8', shape, data: Uint8Array.from(values) })
  }

  toSingle(value: Value): Value {
    return this.node('Cast', [value], { to: onnxTypes.float32 })
  }

  /** Caches a value by key. */
  once(key: string, make: () => Value): Value {
    const known = this.#made.get(key)
    if (known !== undefined) return known
    const value = make()
    this.#made.set(key, value)
    return value
  }

  /** A weight as stored, optionally reshaped. */
  stored(name: string, shape?: readonly number[]): Value {
    const { type: storedType, file, offset, bytes, shape: storedShape } = this.weights.get(name)
    const type = storedTypes[storedType]
    if (type === undefined) throw unusableModel(this.weights.label, `has a tensor "${name}" of type ${storedType}, which holds no weights`)
    const wanted = shape ?? storedShape
    const count = (sizes: readonly number[]) => sizes.reduce((product, size) => product * size, 1)
    if (count(wanted) !== count(storedShape))
      throw unusableModel(
        this.weights.label,
        `has a tensor "${name}" of shape ${storedShape.join(' × ')} where ${wanted.join(' × ')} is needed`,
      )
    const value = `w:${name}:${wanted.join('x')}`
    if (this.#initializers.has(value)) return value
    this.#initializers.set(value, { name: value, type, shape: wanted, data: { file, offset, bytes } })
    // Listed as an input, a weight is not a constant, so the runtime reads it in place instead of folding a copy.
    if (this.#target.weightsAs === 'mapped' && storedShape.length > 1) this.#weightInputs.push({ name: value, type, shape: wanted })
    return value
  }

  /** A weight in the precision of the graph, with LoRA changes added. */
  weight(name: string, shape?: readonly number[]): Value {
    const own = this.unchanged(name, shape)
    if (this.#changes?.adds(name) !== true) return own
    const { shape: stored } = this.weights.get(name)
    const added = this.once(`added:${name}`, () => this.input(additionInput(name), stored))
    return this.once(`sum:${own}`, () =>
      this.node('Add', [own, shape === undefined ? added : this.node('Reshape', [added, this.integers(shape)])]),
    )
  }

  /** A weight in the precision of the graph, without LoRA changes. */
  unchanged(name: string, shape?: readonly number[]): Value {
    const { type, scale, shape: storedShape } = this.weights.get(name)
    if (isBlockType(type)) return this.#decode(name, type, shape ?? storedShape)
    const stored = this.stored(name, shape)
    if (scale !== undefined) return this.once(`scaled:${stored}`, () => this.#scale(stored, name, shape))
    if (storedTypes[type] === this.type) return stored
    return this.once(`cast:${stored}`, () => this.node('Cast', [stored], { to: onnxTypes[this.type] }))
  }

  /** A stored weight times its scale, in single precision: a scale may be too small for half. */
  #scale(stored: Value, name: string, wanted?: readonly number[]): Value {
    const { file, scale, shape } = this.weights.get(name)
    const type = scale === undefined ? undefined : storedTypes[scale.type]
    const [rows = 1, ...rest] = wanted ?? shape
    const count = scale?.shape.reduce((product, size) => product * size, 1)
    if (scale === undefined || type === undefined || (count !== 1 && count !== rows))
      throw unusableModel(this.weights.label, `has a scale of "${name}" that Sepia cannot apply`)
    const perRow = count === 1 ? [] : [rows, ...rest.map(() => 1)]
    const value = `s:${name}:${perRow.length}`
    this.#constant(value, { type, shape: perRow, data: { file, offset: scale.offset, bytes: scale.bytes } })
    return this.narrow(this.node('Mul', [this.toSingle(stored), type === 'float32' ? value : this.toSingle(value)]))
  }

  /** The bytes of a weight stored in blocks, with `blocksPerRow` blocks in each row. */
  #blocks(name: string, type: BlockType, blocksPerRow = 1): Value {
    const { file, offset, bytes, shape } = this.weights.get(name)
    const { block: numbers, bytes: blockBytes } = blockSize(type)
    const width = blockBytes * blocksPerRow
    const rows = shape.reduce((product, size) => product * size, 1) / (numbers * blocksPerRow)
    if (!Number.isInteger(rows) || bytes !== rows * width)
      throw unusableModel(this.weights.label, `has a tensor "${name}" that cannot be split at its blocks`)
    return this.once(`bytes:${name}:${blocksPerRow}`, () => {
      const view = { name: `bytes:${name}:${blocksPerRow}`, type: 'uint8', shape: [rows, width] } as const
      // The runtime computes what follows from a known count at once and keeps it: a tensor of one repeated number for each weight.
      // A name hides the count; equal names must stand for equal counts.
      if (this.#target.weightsAs === 'mapped') this.#weightInputs.push({ ...view, shape: [`${rows} rows`, width] })
      return this.#constant(view.name, { ...view, data: { file, offset, bytes } })
    })
  }

  #decode(name: string, type: BlockType, shape: readonly number[]): Value {
    return this.once(`blocks:${name}:${shape.join('x')}`, () => {
      const decoded = decodeBlocks(this, type, this.#blocks(name, type))
      return this.narrow(this.node('Reshape', [decoded, this.integers(shape)]))
    })
  }

  /** Rows of a weight table by index, optionally reshaped. */
  gather(name: string, indices: Value, shape?: readonly number[]): Value {
    // A mapped table is the largest of all weights: only what is taken of it is cast. A device may lack the type it is stored in.
    const { type, scale, shape: storedShape } = this.weights.get(name)
    if (isBlockType(type) && shape === undefined) return this.#gatherBlocks(name, type, indices, storedShape[1] ?? 0)
    if (isBlockType(type)) return this.node('Gather', [this.weight(name, shape), indices])
    if (this.#target.weightsAs !== 'mapped' || scale !== undefined || type.startsWith('F8'))
      return this.node('Gather', [this.weight(name, shape), indices])
    return this.node('Cast', [this.node('Gather', [this.stored(name, shape), indices])], { to: onnxTypes[this.type] })
  }

  /** Only the rows that are taken are decoded. */
  #gatherBlocks(name: string, type: BlockType, indices: Value, width: number): Value {
    const { block: numbers, bytes } = blockSize(type)
    const taken = this.node('Gather', [this.#blocks(name, type, width / numbers), indices])
    const decoded = decodeBlocks(this, type, this.node('Reshape', [taken, this.integers([-1, bytes])]))
    const sizes = this.node('Concat', [this.node('Shape', [indices]), this.integers([width])], { axis: 0 })
    return this.narrow(this.node('Reshape', [decoded, sizes]))
  }

  encode(): Uint8Array {
    return encodeOnnxModel({
      nodes: this.#weightsFirst(),
      initializers: [...this.#initializers.values()],
      inputs: [...this.#inputs, ...this.#weightInputs],
      outputs: this.#outputs,
    })
  }

  /**
   * Nodes that need weights alone, then all others. Of a node's inputs, the runtime computes the one listed last first: a weight listed
   * after the rows it multiplies would be decoded, and stay in memory, before the layers below have run.
   */
  #weightsFirst(): readonly OnnxNode[] {
    const known = new Set(['', ...this.#initializers.keys()])
    const [weights, others]: readonly [OnnxNode[], OnnxNode[]] = [[], []]
    for (const node of this.#nodes) {
      const isWeight = node.inputs.every((input) => known.has(input))
      if (isWeight) for (const output of node.outputs) known.add(output)
      const list = isWeight ? weights : others
      list.push(node)
    }
    return [...weights, ...others]
  }

  #constant(name: string, initializer: Omit<OnnxInitializer, 'name'>): Value {
    if (!this.#initializers.has(name)) this.#initializers.set(name, { name, ...initializer })
    return name
  }
}
