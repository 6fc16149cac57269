import type { Value } from '../graph/graph-builder.ts'
import {
  attend,
  groupNorm,
  type LayerContext,
  layerNorm,
  linear,
  pixelsToRows,
  rowsToPixels,
  toRows,
  toSequences,
} from '../graph/layers.ts'

/** Text as the UNet's attention reads it. */
export interface TextContext {
  /** [batch · tokens, width] */
  readonly rows: Value
  /** A vector of one number. */
  readonly batch: Value
}

/**
 * Lets the pixels of [batch, channels, height, width] attend to each other and to the text.
 *
 * @see Rombach et al. 2021, arXiv:2112.10752
 */
export function spatialTransformer(
  context: LayerContext,
  module: string,
  input: Value,
  { text, heads }: { readonly text: TextContext; readonly heads: number },
): Value {
  const { graph } = context
  const channels = graph.weights.sizeOf(`${module}.norm.weight`, 0)
  const normal = groupNorm(graph, `${module}.norm`, input, 1e-6)
  let rows = linear(context, `${module}.proj_in`, pixelsToRows(graph, normal, channels))
  for (let i = 0; i < graph.weights.count(`${module}.transformer_blocks.`); i++)
    rows = transformerBlock(context, `${module}.transformer_blocks.${i}`, rows, { text, heads })
  const pixels = rowsToPixels(graph, linear(context, `${module}.proj_out`, rows), input, channels)
  return graph.node('Add', [pixels, input])
}

function transformerBlock(
  context: LayerContext,
  module: string,
  input: Value,
  { text, heads }: { readonly text: TextContext; readonly heads: number },
): Value {
  const { graph } = context
  const add = (a: Value, b: Value) => graph.node('Add', [a, b])
  const first = layerNorm(graph, `${module}.norm1`, input)
  const seen = add(input, attention(context, `${module}.attn1`, { from: first, to: first, batch: text.batch, heads }))
  const second = layerNorm(graph, `${module}.norm2`, seen)
  const read = add(seen, attention(context, `${module}.attn2`, { from: second, to: text.rows, batch: text.batch, heads }))
  return add(read, feedForward(context, `${module}.ff`, layerNorm(graph, `${module}.norm3`, read)))
}

function attention(
  context: LayerContext,
  module: string,
  { from, to, batch, heads }: { readonly from: Value; readonly to: Value; readonly batch: Value; readonly heads: number },
): Value {
  const { graph } = context
  const width = graph.weights.sizeOf(`${module}.to_q.weight`, 0)
  const project = (name: string, rows: Value) => toSequences(graph, linear(context, `${module}.${name}`, rows), batch, width)
  const attended = attend(graph, { query: project('to_q', from), key: project('to_k', to), value: project('to_v', to), heads, width })
  return linear(context, `${module}.to_out.0`, toRows(graph, attended, width))
}

/** A gated linear unit with GELU. @see Shazeer 2020, arXiv:2002.05202 */
function feedForward(context: LayerContext, module: string, input: Value): Value {
  const { graph } = context
  const [hidden = '', gate = ''] = graph.nodes('Split', [linear(context, `${module}.net.0.proj`, input)], { axis: 1, num_outputs: 2 }, 2)
  return linear(context, `${module}.net.2`, graph.node('Mul', [hidden, graph.node('Gelu', [gate])]))
}
