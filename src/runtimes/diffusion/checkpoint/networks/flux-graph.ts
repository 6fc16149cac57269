import { GraphBuilder, type Value } from '../graph/graph-builder.ts'
import { type LayerContext, linear, silu } from '../graph/layers.ts'
import {
  addGated,
  attendRows,
  embedNumber,
  geluTanh,
  joinRows,
  lastLayer,
  modulatedNorm,
  modulation,
  normalizeHeads,
  patchify,
  type Rotation,
  rotate,
  rotationInput,
  rowCount,
  rowsBetween,
  textRows,
  twoLayers,
  unpatchify,
} from '../graph/transformer-layers.ts'
import type { WeightTable } from '../weights/weight-table.ts'
import { headWidthOf, type TransformerGraphOptions } from './transformer-graph.ts'

const channels = 16
/** Of the heads' normalization. */
export const epsilon = 1e-6
const order = 'channels-first'

/** Whether the guidance scale is an input of the model. */
function embedsGuidance(weights: WeightTable): boolean {
  return weights.has('time_text_embed.guidance_embedder.linear_1.weight')
}

/** Writes the graph of FLUX.1's transformer: text and image in two streams that attend together, then in one. */
export function writeFluxGraph(weights: WeightTable, { target, branches }: TransformerGraphOptions): Uint8Array {
  const graph = new GraphBuilder(weights, target, branches)
  const context: LayerContext = { graph, branches }
  const width = weights.sizeOf('x_embedder.weight', 0)
  const textWidth = weights.sizeOf('context_embedder.weight', 1)
  const pooledWidth = weights.sizeOf('time_text_embed.text_embedder.linear_1.weight', 1)
  const headWidth = headWidthOf(weights, 'transformer_blocks.0.attn.norm_q.weight')
  const sample = graph.input('sample', [1, channels, 'height', 'width'])
  const named = (name: string) => [`time_text_embed.${name}.linear_1`, `time_text_embed.${name}.linear_2`] as const
  const embedded = (name: string, number: Value) => embedNumber(context, named(name), number)
  let given = embedded('timestep_embedder', graph.wideInput('timestep', [1]))
  if (embedsGuidance(weights)) {
    const thousandfold = graph.node('Mul', [graph.wideInput('guidance', [1]), graph.floats([1000], [1], 'float32')])
    given = graph.node('Add', [given, embedded('guidance_embedder', thousandfold)])
  }
  const pooled = graph.input('pooled', [1, pooledWidth])
  const text = twoLayers(context, named('text_embedder'), pooled)
  const row = silu(graph, graph.node('Add', [given, text]))
  const shape = { width, heads: width / headWidth, angles: rotationInput(graph, 'rope', headWidth) }
  let image = linear(context, 'x_embedder', patchify(graph, sample, channels, order))
  let words = linear(context, 'context_embedder', textRows(graph, textWidth))
  const count = rowCount(graph, words)
  const feed = (module: string, rows: Value) => twoLayers(context, [`${module}.net.0.proj`, `${module}.net.2`], rows, geluTanh)
  for (let i = 0; i < weights.count('transformer_blocks.'); i++) {
    const block = `transformer_blocks.${i}`
    const modulations = {
      image: modulation(context, `${block}.norm1.linear`, row, 6),
      words: modulation(context, `${block}.norm1_context.linear`, row, 6),
    }
    ;({ image, words } = doubleBlock(context, block, { image, words, count }, { ...shape, modulations, feed }))
  }
  let all = joinRows(graph, [words, image])
  // The first is read in any case, so that a file without these blocks is refused.
  for (let i = 0; i < Math.max(1, weights.count('single_transformer_blocks.')); i++)
    all = singleBlock(context, `single_transformer_blocks.${i}`, all, { ...shape, row })
  const velocity = unpatchify(graph, lastLayer(context, rowsBetween(graph, all, count), row), sample, channels, order)
  graph.output(velocity, 'out_sample', [1, channels, 'height', 'width'])
  return graph.encode()
}

/** What the attention of all blocks has in common. */
export interface BlockShape {
  readonly width: number
  readonly heads: number
  readonly angles: Rotation
}

interface DoubleBlock extends BlockShape {
  /** Six vectors for each stream. */
  readonly modulations: Readonly<Record<'image' | 'words', readonly Value[]>>
  /** The feed-forward layers of a module. */
  readonly feed: (module: string, rows: Value) => Value
}

interface Streams {
  readonly image: Value
  readonly words: Value
}

/** A block of FLUX in which text and image attend together, each with layers of its own. */
export function doubleBlock(
  context: LayerContext,
  module: string,
  { image, words, count }: Streams & { readonly count: Value },
  { width, heads, angles, modulations, feed }: DoubleBlock,
): Streams {
  const { graph } = context
  const prepare = (input: Value, [shift = '', scale = '']: readonly Value[], names: readonly string[], added: string) => {
    const normal = modulatedNorm(graph, input, { shift, scale })
    const [query = '', key = '', value = ''] = names.map((name) => linear(context, `${module}.attn.${name}`, normal))
    const even = (rows: Value, to: string) => normalizeHeads(graph, `${module}.attn.norm_${added}${to}`, rows, width, epsilon)
    return { query: even(query, 'q'), key: even(key, 'k'), value }
  }
  const text = prepare(words, modulations.words, ['add_q_proj', 'add_k_proj', 'add_v_proj'], 'added_')
  const picture = prepare(image, modulations.image, ['to_q', 'to_k', 'to_v'], '')
  const joined = (part: keyof typeof text) => joinRows(graph, [text[part], picture[part]])
  const turned = (part: 'query' | 'key') => rotate(graph, joined(part), angles, { heads, width })
  const attended = attendRows(graph, { query: turned('query'), key: turned('key'), value: joined('value'), heads, width })
  const finish = (
    input: Value,
    seen: Value,
    [, , gate = '', shift = '', scale = '', gate2 = '']: readonly Value[],
    [out, layers]: readonly [string, string],
  ) => {
    const moved = addGated(graph, input, gate, linear(context, `${module}.attn.${out}`, seen))
    return addGated(graph, moved, gate2, feed(`${module}.${layers}`, modulatedNorm(graph, moved, { shift, scale })))
  }
  return {
    image: finish(image, rowsBetween(graph, attended, count), modulations.image, ['to_out.0', 'ff']),
    words: finish(words, rowsBetween(graph, attended, graph.integers([0]), count), modulations.words, ['to_add_out', 'ff_context']),
  }
}

function singleBlock(
  context: LayerContext,
  module: string,
  input: Value,
  { width, heads, angles, row }: BlockShape & { readonly row: Value },
): Value {
  const { graph } = context
  const [shift = '', scale = '', gate = ''] = modulation(context, `${module}.norm.linear`, row, 3)
  const normal = modulatedNorm(graph, input, { scale, shift })
  const project = (to: 'q' | 'k') => {
    const rows = linear(context, `${module}.attn.to_${to}`, normal)
    return rotate(graph, normalizeHeads(graph, `${module}.attn.norm_${to}`, rows, width, epsilon), angles, { heads, width })
  }
  const value = linear(context, `${module}.attn.to_v`, normal)
  const attended = attendRows(graph, { query: project('q'), key: project('k'), value, heads, width })
  const wide = geluTanh(graph, linear(context, `${module}.proj_mlp`, normal))
  return addGated(graph, input, gate, linear(context, `${module}.proj_out`, graph.node('Concat', [attended, wide], { axis: 1 })))
}
