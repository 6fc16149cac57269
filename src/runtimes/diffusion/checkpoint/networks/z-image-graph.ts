import { GraphBuilder, type Value } from '../graph/graph-builder.ts'
import { type LayerContext, linear, silu } from '../graph/layers.ts'
import {
  addGated,
  attendRows,
  embedNumber,
  gatedFeedForward,
  joinRows,
  modulatedNorm,
  modulation,
  normalizeHeads,
  patchify,
  plusOne,
  type Rotation,
  rmsNorm,
  rotate,
  rotationInput,
  rowCount,
  rowsBetween,
  textRows,
  unpatchify,
} from '../graph/transformer-layers.ts'
import type { WeightTable } from '../weights/weight-table.ts'
import { headWidthOf, type TransformerGraphOptions } from './transformer-graph.ts'

const channels = 16
const epsilon = 1e-5
const order = 'channels-last'

/**
 * Writes the graph of Z-Image's transformer. Image and caption are each filled up to a multiple of 32 tokens with rows that the model
 * learned; `sample_pads` and `text_pads` say how many.
 *
 * @see Z-Image Team 2025, arXiv:2511.22699
 */
export function writeZImageGraph(weights: WeightTable, { target, branches }: TransformerGraphOptions): Uint8Array {
  const graph = new GraphBuilder(weights, target, branches)
  const context: LayerContext = { graph, branches }
  const width = weights.sizeOf('cap_embedder.1.weight', 0)
  const textWidth = weights.sizeOf('cap_embedder.1.weight', 1)
  const shape = { width, headWidth: headWidthOf(weights, 'layers.0.attention.norm_q.weight') }
  const sample = graph.input('sample', [1, channels, 'height', 'width'])
  // The model counts from 0 where there is only noise.
  const time = graph.node('Sub', [graph.floats([1000], [1], 'float32'), graph.wideInput('timestep', [1])])
  const row = embedNumber(context, ['t_embedder.mlp.0', 't_embedder.mlp.2'], time)
  const patches = linear(context, 'all_x_embedder.2-1', patchify(graph, sample, channels, order))
  const text = textRows(graph, textWidth)
  const caption = linear(context, 'cap_embedder.1', rmsNorm(graph, text, graph.weight('cap_embedder.0.weight'), epsilon))
  const imageAngles = rotationInput(graph, 'sample_rope', shape.headWidth)
  const textAngles = rotationInput(graph, 'text_rope', shape.headWidth)
  let image = withPads(graph, patches, 'x_pad_token', 'sample_pads', width)
  let words = withPads(graph, caption, 'cap_pad_token', 'text_pads', width)
  for (let i = 0; i < weights.count('noise_refiner.'); i++)
    image = block(context, `noise_refiner.${i}`, image, { ...shape, angles: imageAngles, row })
  for (let i = 0; i < weights.count('context_refiner.'); i++)
    words = block(context, `context_refiner.${i}`, words, { ...shape, angles: textAngles, row: null })
  const angles = {
    cos: joinRows(graph, [imageAngles.cos, textAngles.cos]),
    sin: joinRows(graph, [imageAngles.sin, textAngles.sin]),
    interleaved: true,
  }
  let all = joinRows(graph, [image, words])
  for (let i = 0; i < weights.count('layers.'); i++) all = block(context, `layers.${i}`, all, { ...shape, angles, row })
  const [scale = ''] = modulation(context, 'all_final_layer.2-1.adaLN_modulation.1', silu(graph, row), 1)
  const seen = rowsBetween(graph, all, graph.integers([0]), rowCount(graph, patches))
  const last = linear(context, 'all_final_layer.2-1.linear', modulatedNorm(graph, seen, { scale }))
  const velocity = graph.node('Neg', [unpatchify(graph, last, sample, channels, order)])
  graph.output(velocity, 'out_sample', [1, channels, 'height', 'width'])
  return graph.encode()
}

function withPads(graph: GraphBuilder, rows: Value, pad: string, input: string, width: number): Value {
  const shape = graph.node('Concat', [graph.input(input, [1], 'int64'), graph.integers([width])], { axis: 0 })
  return joinRows(graph, [rows, graph.node('Expand', [graph.weight(pad, [1, width]), shape])])
}

interface BlockOptions {
  readonly width: number
  readonly headWidth: number
  readonly angles: Rotation
  /** The block's modulation; null = none. */
  readonly row: Value | null
}

function block(context: LayerContext, module: string, input: Value, { width, headWidth, angles, row }: BlockOptions): Value {
  const { graph } = context
  const [scale, gate, scale2, gate2] = row === null ? [] : modulation(context, `${module}.adaLN_modulation.0`, row, 4)
  const norm = (name: string, value: Value, factor?: Value): Value => {
    const weight = graph.weight(`${module}.${name}.weight`)
    return rmsNorm(graph, value, factor === undefined ? weight : graph.node('Mul', [weight, plusOne(graph, factor)]), epsilon)
  }
  const add = (value: Value, by: Value | undefined, change: Value): Value =>
    by === undefined ? graph.node('Add', [value, change]) : addGated(graph, value, graph.node('Tanh', [by]), change)
  const attention = `${module}.attention`
  const normal = norm('attention_norm1', input, scale)
  const heads = width / headWidth
  const project = (name: 'q' | 'k') => {
    const rows = linear(context, `${attention}.to_${name}`, normal)
    return rotate(graph, normalizeHeads(graph, `${attention}.norm_${name}`, rows, width, epsilon), angles, { heads, width })
  }
  const value = linear(context, `${attention}.to_v`, normal)
  const attended = attendRows(graph, { query: project('q'), key: project('k'), value, heads, width })
  const seen = add(input, gate, norm('attention_norm2', linear(context, `${attention}.to_out.0`, attended)))
  const parts = { gate: `${module}.feed_forward.w1`, up: `${module}.feed_forward.w3`, down: `${module}.feed_forward.w2` }
  return add(seen, gate2, norm('ffn_norm2', gatedFeedForward(context, parts, norm('ffn_norm1', seen, scale2))))
}
