import type { GraphBuilder, Value } from './graph-builder.ts'

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
