import { cutBytes, halfOf } from './block-weights.ts'
import type { GraphBuilder, Value } from './graph-builder.ts'

/** Numbers of a block in each type that the runtime multiplies with as it is stored. */
const numbers = 32

/** What the runtime counts numbers of four bits from. */
const middle = 8

/**
 * Rows [rows, in] times the transpose of a weight in blocks of four bits [out, in], without a decoded copy of it. ggml keeps the first half of a
 * block's numbers in the lower halves of its bytes; the runtime takes them in turns, so the columns of the rows are put in that order.
 *
 * @param product.bias None, or one.
 * @returns null where the weight is stored otherwise.
 */
export function multiplyBlocks(
  graph: GraphBuilder,
  { weight, input, bias }: { readonly weight: string; readonly input: Value; readonly bias: readonly Value[] },
): Value | null {
  const { type, shape } = graph.weights.get(weight)
  const [outputs = 0, inputs = 0] = shape
  if ((type !== 'Q4_0' && type !== 'Q4_1') || shape.length !== 2 || !graph.isMapped || graph.type !== 'float32') return null
  const views = graph.blockViews(weight, type)
  const start = type === 'Q4_0' ? 2 : 4
  const perRow = [outputs, inputs / numbers]
  const packed = graph.node('Reshape', [
    cutBytes(graph, views('uint8'), start, start + numbers / 2),
    graph.integers([...perRow, numbers / 2]),
  ])
  const scale = halfOf(graph, views, 0)
  const flat = graph.node('Reshape', [scale, graph.integers([-1])])
  const columns = graph.once(`turns:${input}`, () => {
    const halves = graph.node('Reshape', [input, graph.integers([-1, inputs / numbers, 2, numbers / 2])])
    return graph.node('Reshape', [graph.node('Transpose', [halves], { perm: [0, 1, 3, 2] }), graph.integers([-1, inputs])])
  })
  const attributes = { K: inputs, N: outputs, bits: 4, block_size: numbers }
  const product = graph.node('com.microsoft:MatMulNBits', [columns, packed, flat], attributes)
  if (type === 'Q4_0') return bias.length === 0 ? product : graph.node('Add', [product, ...bias])
  // Each number stands for number · scale + minimum; what the runtime leaves out is the same for all numbers of a block.
  const lowest = graph.node('Add', [graph.node('Mul', [scale, graph.floats([middle], [], 'float32')]), halfOf(graph, views, 1)])
  const sums = graph.once(`sums:${input}`, () => {
    const blocks = graph.node('Reshape', [input, graph.integers([-1, inputs / numbers, numbers])])
    return graph.node('ReduceSum', [blocks, graph.integers([2])], { keepdims: 0 })
  })
  const rest = graph.node('Gemm', [sums, graph.node('Reshape', [lowest, graph.integers(perRow)]), ...bias], { transB: 1 })
  return graph.node('Add', [product, rest])
}
