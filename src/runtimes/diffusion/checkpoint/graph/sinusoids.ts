import type { GraphBuilder, Value } from './graph-builder.ts'

/**
 * Cosine and sine features of numbers, [count] → [count, width]; single precision as PyTorch computes them.
 *
 * @see Vaswani et al. 2017, arXiv:1706.03762, section 3.5
 */
export function sinusoids(graph: GraphBuilder, numbers: Value, width: number): Value {
  const half = width / 2
  const frequencies = Array.from({ length: half }, (_, i) => Math.exp(Math.fround(Math.fround(-Math.log(10_000)) * i) / half))
  const column = graph.node('Reshape', [numbers, graph.integers([-1, 1])])
  const angles = graph.node('Mul', [column, graph.floats(frequencies, [1, half])])
  return graph.node('Concat', [graph.node('Cos', [angles]), graph.node('Sin', [angles])], { axis: 1 })
}
