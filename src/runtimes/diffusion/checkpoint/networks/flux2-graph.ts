import { GraphBuilder, type Value } from '../graph/graph-builder.ts'
import { type LayerContext, linear, pixelsToRows, rowsToPixels, silu } from '../graph/layers.ts'
import {
  addGated,
  attendRows,
  embedNumber,
  joinRows,
  lastLayer,
  modulatedNorm,
  modulation,
  normalizeHeads,
  rotate,
  rotationInput,
  rowCount,
  rowsBetween,
  textRows,
} from '../graph/transformer-layers.ts'
import type { WeightTable } from '../weights/weight-table.ts'
import { type BlockShape, doubleBlock, epsilon } from './flux-graph.ts'
import { headWidthOf, type TransformerGraphOptions } from './transformer-graph.ts'

/**
 * Writes the graph of FLUX.2 klein's transformer. It differs from FLUX.1's: all blocks of a kind share one modulation, feed-forward layers
 * are gated, no layer has a bias, and rows of other pictures (`references`) follow those of the drawing.
 */
export function writeFlux2Graph(weights: WeightTable, { target, branches }: TransformerGraphOptions): Uint8Array {
  const graph = new GraphBuilder(weights, target, branches)
  const context: LayerContext = { graph, branches }
  const width = weights.sizeOf('x_embedder.weight', 0)
  const channels = weights.sizeOf('x_embedder.weight', 1)
  const textWidth = weights.sizeOf('context_embedder.weight', 1)
  const headWidth = headWidthOf(weights, 'transformer_blocks.0.attn.norm_q.weight')
  const sample = graph.input('sample', [1, channels, 'height', 'width'])
  const embedder = 'time_guidance_embed.timestep_embedder'
  const time = embedNumber(context, [`${embedder}.linear_1`, `${embedder}.linear_2`], graph.wideInput('timestep', [1]))
  const row = silu(graph, time)
  const shape = { width, heads: width / headWidth, angles: rotationInput(graph, 'rope', headWidth) }
  const drawn = pixelsToRows(graph, sample, channels)
  const references = graph.input('references', ['reference_tokens', channels])
  let image = linear(context, 'x_embedder', joinRows(graph, [drawn, references]))
  let words = linear(context, 'context_embedder', textRows(graph, textWidth))
  const count = rowCount(graph, words)
  const modulations = {
    image: modulation(context, 'double_stream_modulation_img.linear', row, 6),
    words: modulation(context, 'double_stream_modulation_txt.linear', row, 6),
  }
  const feed = (module: string, rows: Value) =>
    linear(context, `${module}.linear_out`, gated(graph, linear(context, `${module}.linear_in`, rows)))
  for (let i = 0; i < weights.count('transformer_blocks.'); i++)
    ({ image, words } = doubleBlock(context, `transformer_blocks.${i}`, { image, words, count }, { ...shape, modulations, feed }))
  const single = modulation(context, 'single_stream_modulation.linear', row, 3)
  let all = joinRows(graph, [words, image])
  for (let i = 0; i < Math.max(1, weights.count('single_transformer_blocks.')); i++)
    all = singleBlock(context, `single_transformer_blocks.${i}`, all, { ...shape, single })
  const end = graph.node('Add', [count, rowCount(graph, drawn)])
  const last = lastLayer(context, rowsBetween(graph, all, count, end), row)
  graph.output(rowsToPixels(graph, last, sample, channels), 'out_sample', [1, channels, 'height', 'width'])
  return graph.encode()
}

/** Attention and feed-forward layer side by side, with one projection before them and one behind. */
function singleBlock(
  context: LayerContext,
  module: string,
  input: Value,
  { width, heads, angles, single }: BlockShape & { readonly single: readonly Value[] },
): Value {
  const { graph } = context
  const [shift = '', scale = '', gate = ''] = single
  const all = linear(context, `${module}.attn.to_qkv_mlp_proj`, modulatedNorm(graph, input, { shift, scale }))
  const rest = graph.weights.sizeOf(`${module}.attn.to_qkv_mlp_proj.weight`, 0) - 3 * width
  const parts = graph.nodes('Split', [all, graph.integers([width, width, width, rest])], { axis: 1 }, 4)
  const [query = '', key = '', value = '', inner = ''] = parts
  const turned = (rows: Value, to: string) =>
    rotate(graph, normalizeHeads(graph, `${module}.attn.norm_${to}`, rows, width, epsilon), angles, { heads, width })
  const attended = attendRows(graph, { query: turned(query, 'q'), key: turned(key, 'k'), value, heads, width })
  const side = graph.node('Concat', [attended, gated(graph, inner)], { axis: 1 })
  return addGated(graph, input, gate, linear(context, `${module}.attn.to_out`, side))
}

/** The second half of each row times the active first half. */
function gated(graph: GraphBuilder, rows: Value): Value {
  const [gate = '', value = ''] = graph.nodes('Split', [rows], { axis: 1, num_outputs: 2 }, 2)
  return graph.node('Mul', [silu(graph, gate), value])
}
