import { GraphBuilder, type Value } from '../graph/graph-builder.ts'
import { type LayerContext, linear, pixelsToRows, rowsToPixels, silu } from '../graph/layers.ts'
import {
  addGated,
  asRows,
  attendRows,
  embedNumber,
  joinRows,
  modulatedNorm,
  modulation,
  normalizeHeads,
  type Rotation,
  rotate,
  rotationInput,
  rowCount,
  rowsBetween,
} from '../graph/transformer-layers.ts'
import type { WeightTable } from '../weights/weight-table.ts'
import { headWidthOf, type TransformerGraphOptions } from './transformer-graph.ts'

const epsilon = 1e-6

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
  const text = asRows(graph, graph.input('encoder_hidden_states', [1, 'tokens', textWidth]), textWidth)
  let words = linear(context, 'context_embedder', text)
  const count = rowCount(graph, words)
  const streams = {
    image: modulation(context, 'double_stream_modulation_img.linear', row, 6),
    words: modulation(context, 'double_stream_modulation_txt.linear', row, 6),
  }
  for (let i = 0; i < weights.count('transformer_blocks.'); i++)
    ({ image, words } = doubleBlock(context, `transformer_blocks.${i}`, { image, words, count }, { ...shape, streams }))
  const single = modulation(context, 'single_stream_modulation.linear', row, 3)
  let all = joinRows(graph, [words, image])
  for (let i = 0; i < Math.max(1, weights.count('single_transformer_blocks.')); i++)
    all = singleBlock(context, `single_transformer_blocks.${i}`, all, { ...shape, single })
  const [shift = '', scale = ''] = ['shift', 'scale'].map((part) => modulation(context, `norm_out.${part}`, row, 1)[0])
  const end = graph.node('Add', [count, rowCount(graph, drawn)])
  const last = modulatedNorm(graph, rowsBetween(graph, all, count, end), { scale, shift })
  graph.output(rowsToPixels(graph, linear(context, 'proj_out', last), sample, channels), 'out_sample', [1, channels, 'height', 'width'])
  return graph.encode()
}

interface BlockShape {
  readonly width: number
  readonly heads: number
  readonly angles: Rotation
}

type Modulations = Readonly<Record<'image' | 'words', readonly Value[]>>

function doubleBlock(
  context: LayerContext,
  module: string,
  { image, words, count }: { readonly image: Value; readonly words: Value; readonly count: Value },
  { width, heads, angles, streams }: BlockShape & { readonly streams: Modulations },
): { readonly image: Value; readonly words: Value } {
  const { graph } = context
  const prepare = (input: Value, [shift = '', scale = '']: readonly Value[], names: readonly string[], added: string) => {
    const normal = modulatedNorm(graph, input, { shift, scale })
    const [query = '', key = '', value = ''] = names.map((name) => linear(context, `${module}.attn.${name}`, normal))
    const even = (rows: Value, to: string) => normalizeHeads(graph, `${module}.attn.norm_${added}${to}`, rows, width, epsilon)
    return { query: even(query, 'q'), key: even(key, 'k'), value }
  }
  const text = prepare(words, streams.words, ['add_q_proj', 'add_k_proj', 'add_v_proj'], 'added_')
  const picture = prepare(image, streams.image, ['to_q', 'to_k', 'to_v'], '')
  const joined = (part: keyof typeof text) => joinRows(graph, [text[part], picture[part]])
  const turned = (part: 'query' | 'key') => rotate(graph, joined(part), angles, { heads, width })
  const attended = attendRows(graph, { query: turned('query'), key: turned('key'), value: joined('value'), heads, width })
  const finish = (
    input: Value,
    seen: Value,
    [, , gate = '', shift = '', scale = '', gate2 = '']: readonly Value[],
    [out, feed]: readonly [string, string],
  ) => {
    const moved = addGated(graph, input, gate, linear(context, `${module}.attn.${out}`, seen))
    const inner = gated(graph, linear(context, `${module}.${feed}.linear_in`, modulatedNorm(graph, moved, { shift, scale })))
    return addGated(graph, moved, gate2, linear(context, `${module}.${feed}.linear_out`, inner))
  }
  return {
    image: finish(image, rowsBetween(graph, attended, count), streams.image, ['to_out.0', 'ff']),
    words: finish(words, rowsBetween(graph, attended, graph.integers([0]), count), streams.words, ['to_add_out', 'ff_context']),
  }
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
