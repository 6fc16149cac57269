import { GraphBuilder, type Value } from '../graph/graph-builder.ts'
import { type LayerContext, linear, silu } from '../graph/layers.ts'
import {
  addGated,
  asRows,
  attendRows,
  embedNumber,
  geluTanh,
  joinRows,
  modulatedNorm,
  modulation,
  normalizeHeads,
  patchify,
  type Rotation,
  rotate,
  rotationInput,
  rowCount,
  rowsBetween,
  twoLayers,
  unpatchify,
} from '../graph/transformer-layers.ts'
import type { WeightTable } from '../weights/weight-table.ts'
import { headWidthOf, type TransformerGraphOptions } from './transformer-graph.ts'

const channels = 16
const epsilon = 1e-6
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
  const embedded = (name: string, number: Value) =>
    embedNumber(context, [`time_text_embed.${name}.linear_1`, `time_text_embed.${name}.linear_2`], number)
  let row = embedded('timestep_embedder', graph.wideInput('timestep', [1]))
  if (embedsGuidance(weights)) {
    const thousandfold = graph.node('Mul', [graph.wideInput('guidance', [1]), graph.floats([1000], [1], 'float32')])
    row = graph.node('Add', [row, embedded('guidance_embedder', thousandfold)])
  }
  const pooled = graph.input('pooled', [1, pooledWidth])
  row = graph.node('Add', [
    row,
    twoLayers(context, ['time_text_embed.text_embedder.linear_1', 'time_text_embed.text_embedder.linear_2'], pooled),
  ])
  const options = { width, heads: width / headWidth, angles: rotationInput(graph, 'rope', headWidth), row: silu(graph, row) }
  let image = linear(context, 'x_embedder', patchify(graph, sample, channels, order))
  const text = asRows(graph, graph.input('encoder_hidden_states', [1, 'tokens', textWidth]), textWidth)
  let words = linear(context, 'context_embedder', text)
  const count = rowCount(graph, words)
  for (let i = 0; i < weights.count('transformer_blocks.'); i++)
    ({ image, words } = doubleBlock(context, `transformer_blocks.${i}`, { image, words, count }, options))
  let all = joinRows(graph, [words, image])
  // The first is read in any case, so that a file without these blocks is refused.
  for (let i = 0; i < Math.max(1, weights.count('single_transformer_blocks.')); i++)
    all = singleBlock(context, `single_transformer_blocks.${i}`, all, options)
  const [shift, scale = ''] = ['shift', 'scale'].map((part) => modulation(context, `norm_out.${part}`, options.row, 1)[0])
  const last = modulatedNorm(graph, rowsBetween(graph, all, count), { scale, ...(shift !== undefined && { shift }) })
  const velocity = unpatchify(graph, linear(context, 'proj_out', last), sample, channels, order)
  graph.output(velocity, 'out_sample', [1, channels, 'height', 'width'])
  return graph.encode()
}

interface BlockOptions {
  readonly width: number
  readonly heads: number
  readonly angles: Rotation
  readonly row: Value
}

interface Streams {
  readonly image: Value
  readonly words: Value
  /** Number of text rows. */
  readonly count: Value
}

function doubleBlock(context: LayerContext, module: string, { image, words, count }: Streams, options: BlockOptions) {
  const { graph } = context
  const { width, heads, angles, row } = options
  const streams = {
    words: { input: words, norm: 'norm1_context.linear', q: 'add_q_proj', k: 'add_k_proj', v: 'add_v_proj', added: 'added_' },
    image: { input: image, norm: 'norm1.linear', q: 'to_q', k: 'to_k', v: 'to_v', added: '' },
  }
  const prepare = ({ input, norm, q, k, v, added }: (typeof streams)['image']) => {
    const [shift, scale = '', ...later] = modulation(context, `${module}.${norm}`, row, 6)
    const normal = modulatedNorm(graph, input, { scale, ...(shift !== undefined && { shift }) })
    const project = (name: string) => linear(context, `${module}.attn.${name}`, normal)
    const even = (name: string, to: 'q' | 'k') => normalizeHeads(graph, `${module}.attn.norm_${added}${to}`, project(name), width, epsilon)
    return { query: even(q, 'q'), key: even(k, 'k'), value: project(v), later }
  }
  const [text, picture] = [prepare(streams.words), prepare(streams.image)]
  const joined = (part: 'query' | 'key' | 'value') => joinRows(graph, [text[part], picture[part]])
  const turned = (part: 'query' | 'key') => rotate(graph, joined(part), angles, { heads, width })
  const attended = attendRows(graph, { query: turned('query'), key: turned('key'), value: joined('value'), heads, width })
  const finish = (
    input: Value,
    seen: Value,
    [gate = '', shift = '', scale = '', gate2 = '']: readonly Value[],
    names: readonly string[],
  ) => {
    const [out, feed] = names
    const moved = addGated(graph, input, gate, linear(context, `${module}.attn.${out}`, seen))
    const layers = [`${module}.${feed}.net.0.proj`, `${module}.${feed}.net.2`] as const
    return addGated(graph, moved, gate2, twoLayers(context, layers, modulatedNorm(graph, moved, { scale, shift }), geluTanh))
  }
  return {
    image: finish(image, rowsBetween(graph, attended, count), picture.later, ['to_out.0', 'ff']),
    words: finish(words, rowsBetween(graph, attended, graph.integers([0]), count), text.later, ['to_add_out', 'ff_context']),
  }
}

function singleBlock(context: LayerContext, module: string, input: Value, { width, heads, angles, row }: BlockOptions): Value {
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
