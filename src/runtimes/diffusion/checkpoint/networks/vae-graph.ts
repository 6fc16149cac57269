import { type Bands, convolveBands, enlargeBands, joinBands, normalizeBands, shrinkBands, splitBands } from '../graph/bands.ts'
import type { GraphTarget } from '../graph/find-graph-target.ts'
import { GraphBuilder, type Value } from '../graph/graph-builder.ts'
import {
  attend,
  convolution,
  groupNorm,
  type LayerContext,
  linear,
  pixelsToRows,
  rowsToPixels,
  silu,
  toRows,
  toSequences,
} from '../graph/layers.ts'
import type { WeightTable } from '../weights/weight-table.ts'
import { residualBlock } from './residual-block.ts'

const epsilon = 1e-6

/**
 * Writes the decoder graph. With mapped weights it works in bands to reduce memory for large pictures; on a GPU the picture is decoded in
 * one piece.
 *
 * @see Esser et al. 2020, arXiv:2012.09841
 */
export function writeVaeDecoderGraph(weights: WeightTable, target: GraphTarget): Uint8Array {
  const graph = new GraphBuilder(weights, target)
  const context: LayerContext = { graph, branches: null }
  const latents = graph.input('latent_sample', ['batch', weights.sizeOf('decoder.conv_in.weight', 1), 'height', 'width'])
  const start = weights.has('post_quant_conv.weight') ? convolution(context, 'post_quant_conv', latents) : latents
  let bands: Bands = [middle(context, 'decoder.mid_block', convolution(context, 'decoder.conv_in', start))]
  for (let i = 0; i < weights.count('decoder.up_blocks.'); i++) {
    const block = `decoder.up_blocks.${i}`
    bands = residualBlocks(context, block, bands)
    if (weights.holds(`${block}.upsamplers.`))
      bands = enlargeBands(context, `${block}.upsamplers.0.conv`, bands, { halves: target.weightsAs === 'mapped' })
  }
  graph.output(joinBands(graph, finish(context, 'decoder', bands)), 'sample', ['batch', 3, 'pixel_height', 'pixel_width'])
  return graph.encode()
}

/** Writes the graph that turns pixels into the mean and log variance of latents; over mapped weights in bands, as the decoder. */
export function writeVaeEncoderGraph(weights: WeightTable, target: GraphTarget): Uint8Array {
  const graph = new GraphBuilder(weights, target)
  const context: LayerContext = { graph, branches: null }
  const blocks = Array.from({ length: weights.count('encoder.down_blocks.') }, (_, i) => `encoder.down_blocks.${i}`)
  const shrinks = (block: string): boolean => weights.holds(`${block}.downsamplers.`)
  const count = target.weightsAs === 'mapped' ? 2 ** blocks.filter(shrinks).length : 1
  const picture = splitBands(graph, graph.input('sample', ['batch', 3, 'height', 'width']), count)
  let bands = convolveBands(context, 'encoder.conv_in', picture)
  for (const block of blocks) {
    bands = residualBlocks(context, block, bands)
    if (shrinks(block)) bands = shrinkBands(context, `${block}.downsamplers.0.conv`, bands)
  }
  const hidden = joinBands(graph, finish(context, 'encoder', [middle(context, 'encoder.mid_block', joinBands(graph, bands))]))
  const parameters = weights.has('quant_conv.weight') ? convolution(context, 'quant_conv', hidden) : hidden
  graph.output(parameters, 'latent_parameters', ['batch', 'channels', 'latent_height', 'latent_width'])
  return graph.encode()
}

function residualBlocks(context: LayerContext, block: string, input: Bands): Bands {
  let bands = input
  const { weights } = context.graph
  // A lost block would be skipped where its neighbours have the same width.
  weights.get(`${block}.resnets.0.conv1.weight`)
  for (let j = 0; j < weights.count(`${block}.resnets.`); j++) bands = residualBands(context, `${block}.resnets.${j}`, bands)
  return bands
}

function residualBands(context: LayerContext, module: string, input: Bands): Bands {
  const { graph } = context
  const before = convolveBands(context, `${module}.conv1`, active(context, `${module}.norm1`, input))
  const after = convolveBands(context, `${module}.conv2`, active(context, `${module}.norm2`, before))
  const shortcut = graph.weights.has(`${module}.conv_shortcut.weight`) ? convolveBands(context, `${module}.conv_shortcut`, input) : input
  return after.map((band, i) => graph.node('Add', [shortcut[i] ?? '', band]))
}

function active({ graph }: LayerContext, norm: string, bands: Bands): Bands {
  return normalizeBands(graph, norm, bands, epsilon).map((band) => silu(graph, band))
}

function middle(context: LayerContext, block: string, input: Value): Value {
  const before = residualBlock(context, `${block}.resnets.0`, input, { time: null, epsilon })
  const attended = context.graph.weights.holds(`${block}.attentions.`) ? selfAttention(context, `${block}.attentions.0`, before) : before
  return residualBlock(context, `${block}.resnets.1`, attended, { time: null, epsilon })
}

function selfAttention(context: LayerContext, module: string, input: Value): Value {
  const { graph } = context
  const channels = graph.weights.sizeOf(`${module}.group_norm.weight`, 0)
  const batch = graph.node('Slice', [graph.node('Shape', [input]), graph.integers([0]), graph.integers([1])])
  const rows = pixelsToRows(graph, groupNorm(graph, `${module}.group_norm`, input, epsilon), channels)
  const project = (name: string) => toSequences(graph, linear(context, `${module}.${name}`, rows), batch, channels)
  const attended = attend(graph, { query: project('to_q'), key: project('to_k'), value: project('to_v'), heads: 1, width: channels })
  const out = linear(context, `${module}.to_out.0`, toRows(graph, attended, channels))
  return graph.node('Add', [input, rowsToPixels(graph, out, input, channels)])
}

function finish(context: LayerContext, part: string, input: Bands): Bands {
  return convolveBands(context, `${part}.conv_out`, active(context, `${part}.conv_norm_out`, input))
}
