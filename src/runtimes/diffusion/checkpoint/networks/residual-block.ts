import type { Value } from '../graph/graph-builder.ts'
import { convolution, groupNorm, type LayerContext, linear, silu } from '../graph/layers.ts'

/** A residual block of the UNet or, without `time`, of the VAE. `time`: rows [1 or batch, width] after their activation. */
export function residualBlock(
  context: LayerContext,
  module: string,
  input: Value,
  { time, epsilon }: { readonly time: Value | null; readonly epsilon: number },
): Value {
  const { graph } = context
  let hidden = convolution(context, `${module}.conv1`, silu(graph, groupNorm(graph, `${module}.norm1`, input, epsilon)))
  if (time !== null) {
    const shift = linear(context, `${module}.time_emb_proj`, time)
    hidden = graph.node('Add', [hidden, graph.node('Reshape', [shift, graph.integers([0, -1, 1, 1])])])
  }
  hidden = convolution(context, `${module}.conv2`, silu(graph, groupNorm(graph, `${module}.norm2`, hidden, epsilon)))
  const shortcut = graph.weights.has(`${module}.conv_shortcut.weight`) ? convolution(context, `${module}.conv_shortcut`, input) : input
  return graph.node('Add', [shortcut, hidden])
}
