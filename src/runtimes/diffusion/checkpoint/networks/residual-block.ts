import type { Value } from '../graph/graph-builder.ts'
import { convolution, groupNorm, type LayerContext, linear, silu } from '../graph/layers.ts'

/**
 * A residual block of the UNet or, without `time`, of the VAE. `time`: rows [1 or batch, width] after their activation. Its
 * projection is added; if it is twice as wide as the block, it is a scale and then a shift of the normalized values
 * (`use_scale_shift_norm` in Stability's code, `resnet_time_scale_shift` in diffusers).
 */
export function residualBlock(
  context: LayerContext,
  module: string,
  input: Value,
  { time, epsilon }: { readonly time: Value | null; readonly epsilon: number },
): Value {
  const { graph } = context
  const before = convolution(context, `${module}.conv1`, silu(graph, groupNorm(graph, `${module}.norm1`, input, epsilon)))
  const normal = normalizeInTime(context, module, before, { time, epsilon })
  const hidden = convolution(context, `${module}.conv2`, silu(graph, normal))
  const shortcut = graph.weights.has(`${module}.conv_shortcut.weight`) ? convolution(context, `${module}.conv_shortcut`, input) : input
  return graph.node('Add', [shortcut, hidden])
}

function normalizeInTime(
  context: LayerContext,
  module: string,
  input: Value,
  { time, epsilon }: { readonly time: Value | null; readonly epsilon: number },
): Value {
  const { graph } = context
  const normalize = (value: Value) => groupNorm(graph, `${module}.norm2`, value, epsilon)
  if (time === null) return normalize(input)
  const embedded = linear(context, `${module}.time_emb_proj`, time)
  const perChannel = (rows: Value) => graph.node('Reshape', [rows, graph.integers([0, -1, 1, 1])])
  const isWide = graph.weights.sizeOf(`${module}.time_emb_proj.weight`, 0) === 2 * graph.weights.sizeOf(`${module}.norm2.weight`, 0)
  if (!isWide) return normalize(graph.node('Add', [input, perChannel(embedded)]))
  const [scale = '', shift = ''] = graph.nodes('Split', [embedded], { axis: 1, num_outputs: 2 }, 2)
  const factor = graph.node('Add', [perChannel(scale), graph.floats([1], [])])
  return graph.node('Add', [graph.node('Mul', [normalize(input), factor]), perChannel(shift)])
}
