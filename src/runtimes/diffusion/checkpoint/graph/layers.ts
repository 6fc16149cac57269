import { unusableModel } from '../../onnx/model-file.ts'
import type { GraphBuilder, Value } from './graph-builder.ts'

/** Groups of every group normalization in Stable Diffusion. */
export const groups = 32

/** Additions to a layer: what a LoRA adds to the output of a linear layer or a convolution. */
export interface SideBranches {
  /** Whether numbers are added to a tensor, see `additionInput`. */
  adds(tensor: string): boolean
  /** Adds a module's branch to its output, or returns the output as it is. */
  linear(graph: GraphBuilder, module: string, input: Value, output: Value): Value
  convolution(graph: GraphBuilder, module: string, input: Value, output: Value, options: ConvolutionOptions): Value
}

export interface ConvolutionOptions {
  readonly stride?: number
  /** Top, left, bottom, right. */
  readonly pads?: readonly [number, number, number, number]
}

/** A graph to which layers are added. */
export interface LayerContext {
  readonly graph: GraphBuilder
  readonly branches: SideBranches | null
}

/**
 * A linear layer over rows: [rows, in] → [rows, out]. Takes 1 × 1 convolutions too, as the original layout keeps them.
 */
export function linear({ graph, branches }: LayerContext, module: string, input: Value): Value {
  const name = `${module}.weight`
  const { shape, transposed } = graph.weights.get(name)
  const bias = graph.weights.has(`${module}.bias`) ? [biasOf(graph, module, shape[transposed ? 1 : 0])] : []
  const output = graph.node('Gemm', [input, graph.weight(name, shape.slice(0, 2)), ...bias], { transB: transposed ? 0 : 1 })
  return branches === null ? output : branches.linear(graph, module, input, output)
}

/** The runtime takes a bias of another size for a fault of the call, once it computes. */
function biasOf(graph: GraphBuilder, module: string, rows: number | undefined): Value {
  const name = `${module}.bias`
  const size = graph.weights.sizeOf(name, 0)
  if (size !== rows) throw unusableModel(graph.weights.label, `has a tensor "${name}" of ${size} numbers for a weight of ${rows} rows`)
  return graph.weight(name)
}

/** A convolution over [batch, channels, height, width] that keeps the size unless it strides. */
export function convolution({ graph, branches }: LayerContext, module: string, input: Value, options: ConvolutionOptions = {}): Value {
  const kernel = graph.weights.sizeOf(`${module}.weight`, 2)
  const edge = Math.floor(kernel / 2)
  const { stride = 1, pads = [edge, edge, edge, edge] } = options
  const bias = graph.weights.has(`${module}.bias`) ? [graph.weight(`${module}.bias`)] : []
  const output = graph.node('Conv', [input, graph.weight(`${module}.weight`), ...bias], {
    kernel_shape: [kernel, kernel],
    strides: [stride, stride],
    pads,
  })
  return branches === null ? output : branches.convolution(graph, module, input, output, { stride, pads })
}

/** x · sigmoid(x) */
export function silu(graph: GraphBuilder, input: Value): Value {
  return graph.node('Mul', [input, graph.node('Sigmoid', [input])])
}

/** Normalizes each row. */
export function layerNorm(graph: GraphBuilder, module: string, input: Value, epsilon = 1e-5): Value {
  return graph.node('LayerNormalization', [input, graph.weight(`${module}.weight`), graph.weight(`${module}.bias`)], {
    axis: -1,
    epsilon: { float: epsilon },
  })
}

/** Normalizes groups of channels of [batch, channels, height, width]; as instances, which the runtime has a kernel for. */
export function groupNorm(graph: GraphBuilder, module: string, input: Value, epsilon: number): Value {
  const channels = graph.weights.sizeOf(`${module}.weight`, 0)
  const grouped = graph.node('Reshape', [input, graph.integers([0, groups, -1])])
  const ones = graph.floats(new Array<number>(groups).fill(1), [groups])
  const zeros = graph.floats(new Array<number>(groups).fill(0), [groups])
  const normal = graph.node('InstanceNormalization', [grouped, ones, zeros], { epsilon: { float: epsilon } })
  const back = graph.node('Reshape', [normal, graph.node('Shape', [input])])
  const scaled = graph.node('Mul', [back, graph.weight(`${module}.weight`, [channels, 1, 1])])
  return graph.node('Add', [scaled, graph.weight(`${module}.bias`, [channels, 1, 1])])
}

/** Rows [batch · tokens, width] as [batch, tokens, width]; `batch` is a vector of one number. */
export function toSequences(graph: GraphBuilder, rows: Value, batch: Value, width: number): Value {
  const shape = graph.once(`sequences:${batch}:${width}`, () => graph.node('Concat', [batch, graph.integers([-1, width])], { axis: 0 }))
  return graph.node('Reshape', [rows, shape])
}

/** [batch, tokens, width] as [batch · tokens, width]. */
export function toRows(graph: GraphBuilder, sequences: Value, width: number): Value {
  return graph.node('Reshape', [sequences, graph.integers([-1, width])])
}

/** [batch, channels, height, width] as rows [batch · height · width, channels]. */
export function pixelsToRows(graph: GraphBuilder, pixels: Value, channels: number): Value {
  return graph.node('Reshape', [graph.node('Transpose', [pixels], { perm: [0, 2, 3, 1] }), graph.integers([-1, channels])])
}

/** Rows back to [batch, channels, height, width], with the sizes of `like`. */
export function rowsToPixels(graph: GraphBuilder, rows: Value, like: Value, channels: number): Value {
  const shape = graph.node('Shape', [like])
  const batch = graph.node('Slice', [shape, graph.integers([0]), graph.integers([1])])
  const size = graph.node('Slice', [shape, graph.integers([2]), graph.integers([4])])
  const last = graph.node('Concat', [batch, size, graph.integers([channels])], { axis: 0 })
  return graph.node('Transpose', [graph.node('Reshape', [rows, last])], { perm: [0, 3, 1, 2] })
}

/** Inputs of attention: sequences [batch, tokens, width]. */
export interface Attention {
  readonly query: Value
  readonly key: Value
  readonly value: Value
  readonly heads: number
  readonly width: number
  /** Added to the scores, [1 or batch, 1 or heads, tokens, tokens]. */
  readonly mask?: Value
  /** Factor of the scores; default 1/√(head width). */
  readonly scale?: number
}

/** Attention of sequences, [batch, tokens, width]. */
export function attend(graph: GraphBuilder, attention: Attention): Value {
  if (graph.attention === 'plain') return attendPlainly(graph, attention)
  const { query, key, value, heads, mask, scale } = attention
  const bias = mask === undefined ? [] : ['', '', mask]
  const scaled = scale === undefined ? {} : { scale: { float: scale } }
  return graph.node('com.microsoft:MultiHeadAttention', [query, key, value, ...bias], { num_heads: heads, ...scaled })
}

/** @see Vaswani et al. 2017, arXiv:1706.03762, section 3.2 */
function attendPlainly(
  graph: GraphBuilder,
  { query, key, value, heads, width, mask, scale = 1 / Math.sqrt(width / heads) }: Attention,
): Value {
  const split = (sequence: Value, perm: readonly number[]) =>
    graph.node('Transpose', [graph.node('Reshape', [sequence, graph.integers([0, 0, heads, width / heads])])], { perm })
  const scaled = graph.node('Mul', [split(query, [0, 2, 1, 3]), graph.floats([scale], [])])
  const scores = graph.node('MatMul', [scaled, split(key, [0, 2, 3, 1])])
  const shares = graph.node('Softmax', [mask === undefined ? scores : graph.node('Add', [scores, mask])], { axis: -1 })
  const read = graph.node('Transpose', [graph.node('MatMul', [shares, split(value, [0, 2, 1, 3])])], { perm: [0, 2, 1, 3] })
  return graph.node('Reshape', [read, graph.integers([0, 0, width])])
}

/**
 * Cosine and sine features of numbers in single precision, [count] → [count, width]; computed in it, as PyTorch does.
 *
 * @see Vaswani et al. 2017, arXiv:1706.03762, section 3.5
 */
export function sinusoids(graph: GraphBuilder, numbers: Value, width: number): Value {
  const half = width / 2
  const frequencies = Array.from({ length: half }, (_, i) => Math.exp(Math.fround(Math.fround(-Math.log(10_000)) * i) / half))
  const column = graph.node('Reshape', [numbers, graph.integers([-1, 1])])
  const angles = graph.node('Mul', [column, graph.floats(frequencies, [1, half], 'float32')])
  return graph.narrow(graph.node('Concat', [graph.node('Cos', [angles]), graph.node('Sin', [angles])], { axis: 1 }))
}
