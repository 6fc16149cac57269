import { GraphBuilder, type Value } from '../graph/graph-builder.ts'
import { convolution, type LayerContext, linear, pixelsToRows, silu } from '../graph/layers.ts'
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
  rowCount,
  rowsBetween,
  textRows,
  twoLayers,
  unpatchify,
} from '../graph/transformer-layers.ts'
import type { WeightTable } from '../weights/weight-table.ts'
import type { TransformerGraphOptions } from './transformer-graph.ts'

const channels = 16
const headWidth = 64
const epsilon = 1e-6

/** Side of the square table of positions, in patches; a picture uses its centre. */
export function positionSide(weights: WeightTable): number {
  return Math.round(Math.sqrt(weights.sizeOf('pos_embed.pos_embed', 1)))
}

/** Blocks of the transformer. */
export function blockCount(weights: WeightTable): number {
  return weights.count('transformer_blocks.')
}

/** Writes the graph of Stable Diffusion 3's transformer. @see Esser et al. 2024, arXiv:2403.03206 */
export function writeSd3Graph(weights: WeightTable, { target, branches, skipped = [] }: TransformerGraphOptions): Uint8Array {
  const graph = new GraphBuilder(weights, target, branches)
  const context: LayerContext = { graph, branches }
  const width = weights.sizeOf('pos_embed.proj.weight', 0)
  const textWidth = weights.sizeOf('context_embedder.weight', 1)
  const sample = graph.input('sample', [1, channels, 'height', 'width'])
  const named = (name: string) => [`time_text_embed.${name}.linear_1`, `time_text_embed.${name}.linear_2`] as const
  const time = embedNumber(context, named('timestep_embedder'), graph.wideInput('timestep', [1]))
  const pooled = graph.input('pooled', [1, weights.sizeOf('time_text_embed.text_embedder.linear_1.weight', 1)])
  const row = silu(graph, graph.node('Add', [time, twoLayers(context, named('text_embedder'), pooled)]))
  const patches = pixelsToRows(graph, convolution(context, 'pos_embed.proj', sample, { stride: 2, pads: [0, 0, 0, 0] }), width)
  const table = [weights.sizeOf('pos_embed.pos_embed', 1), width]
  const places = graph.gather('pos_embed.pos_embed', graph.input('positions', ['patches'], 'int64'), table)
  let image = graph.node('Add', [patches, places])
  let words: Value = linear(context, 'context_embedder', textRows(graph, textWidth))
  for (let i = 0; i < blockCount(weights); i++) {
    if (skipped.includes(i)) continue
    const streams = block(context, `transformer_blocks.${i}`, { image, words }, { width, row })
    image = streams.image
    words = streams.words ?? words
  }
  graph.output(unpatchify(graph, lastLayer(context, image, row), sample, channels, 'channels-last'), 'out_sample', [
    1,
    channels,
    'height',
    'width',
  ])
  return graph.encode()
}

interface Projections {
  readonly query: Value
  readonly key: Value
  readonly value: Value
}

function block(
  context: LayerContext,
  module: string,
  { image, words }: { readonly image: Value; readonly words: Value },
  { width, row }: { readonly width: number; readonly row: Value },
): { readonly image: Value; readonly words: Value | null } {
  const { graph } = context
  const heads = width / headWidth
  const project = (attention: string, normal: Value, [q, k, v]: readonly [string, string, string], added = ''): Projections => {
    const rows = (name: string) => linear(context, `${module}.${attention}.${name}`, normal)
    // Stable Diffusion 3 has no such norms, 3.5 has all of them.
    const isEven = graph.weights.has('transformer_blocks.0.attn.norm_q.weight')
    const even = (name: string, to: string) =>
      isEven ? normalizeHeads(graph, `${module}.${attention}.norm_${added}${to}`, rows(name), width, epsilon) : rows(name)
    return { query: even(q, 'q'), key: even(k, 'k'), value: rows(v) }
  }
  const own = ['to_q', 'to_k', 'to_v'] as const
  // Some blocks of SD 3.5 medium let the image attend to itself besides.
  const twice = graph.weights.holds(`${module}.attn2.`)
  const [shift = '', scale = '', gate = '', shift2 = '', scale2 = '', gate2 = '', shift3 = '', scale3 = '', gate3 = ''] = modulation(
    context,
    `${module}.norm1.linear`,
    row,
    twice ? 9 : 6,
  )
  // The last block gives the words no further.
  const isLast = !graph.weights.has(`${module}.attn.to_add_out.weight`)
  const [textShift = '', textScale = '', ...textLater] = isLast
    ? ['shift', 'scale'].flatMap((part) => modulation(context, `${module}.norm1_context.${part}`, row, 1))
    : modulation(context, `${module}.norm1_context.linear`, row, 6)
  const picture = project('attn', modulatedNorm(graph, image, { shift, scale }), own)
  const normalWords = modulatedNorm(graph, words, { shift: textShift, scale: textScale })
  const text = project('attn', normalWords, ['add_q_proj', 'add_k_proj', 'add_v_proj'], 'added_')
  const joined = (part: keyof Projections) => joinRows(graph, [picture[part], text[part]])
  const attended = attendRows(graph, { query: joined('query'), key: joined('key'), value: joined('value'), heads, width })
  const count = rowCount(graph, image)
  const seen = linear(context, `${module}.attn.to_out.0`, rowsBetween(graph, attended, graph.integers([0]), count))
  let moved = addGated(graph, image, gate, seen)
  if (twice) {
    const alone = project('attn2', modulatedNorm(graph, image, { shift: shift3, scale: scale3 }), own)
    moved = addGated(graph, moved, gate3, linear(context, `${module}.attn2.to_out.0`, attendRows(graph, { ...alone, heads, width })))
  }
  const feed = (name: string, input: Value, [by, from, to]: readonly [Value, Value, Value]) =>
    addGated(
      graph,
      input,
      by,
      twoLayers(
        context,
        [`${module}.${name}.net.0.proj`, `${module}.${name}.net.2`],
        modulatedNorm(graph, input, { shift: from, scale: to }),
        geluTanh,
      ),
    )
  const movedImage = feed('ff', moved, [gate2, shift2, scale2])
  if (isLast) return { image: movedImage, words: null }
  const [textGate = '', textShift2 = '', textScale2 = '', textGate2 = ''] = textLater
  const read = linear(context, `${module}.attn.to_add_out`, rowsBetween(graph, attended, count))
  return { image: movedImage, words: feed('ff_context', addGated(graph, words, textGate, read), [textGate2, textShift2, textScale2]) }
}
