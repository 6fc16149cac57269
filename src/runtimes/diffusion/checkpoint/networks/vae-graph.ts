import { GraphBuilder, type Value, type WeightsAs } from '../graph/graph-builder.ts'
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

/** Writes the graph that turns latents into pixels. @see Esser et al. 2020, arXiv:2012.09841 */
export function writeVaeDecoderGraph(weights: WeightTable, weightsAs: WeightsAs): Uint8Array {
  const graph = new GraphBuilder(weights, weightsAs)
  const context: LayerContext = { graph, branches: null }
  const latents = graph.input('latent_sample', ['batch', weights.sizeOf('decoder.conv_in.weight', 1), 'height', 'width'])
  let hidden = weights.has('post_quant_conv.weight') ? convolution(context, 'post_quant_conv', latents) : latents
  hidden = middle(context, 'decoder.mid_block', convolution(context, 'decoder.conv_in', hidden))
  for (let i = 0; i < weights.count('decoder.up_blocks.'); i++) {
    const block = `decoder.up_blocks.${i}`
    hidden = residualBlocks(context, block, hidden)
    if (weights.holds(`${block}.upsamplers.`)) hidden = convolution(context, `${block}.upsamplers.0.conv`, doubled(graph, hidden))
  }
  graph.output(finish(context, 'decoder', hidden), 'sample', ['batch', 3, 'pixel_height', 'pixel_width'])
  return graph.encode()
}

/** Writes the graph that turns pixels into the mean and log variance of latents. */
export function writeVaeEncoderGraph(weights: WeightTable, weightsAs: WeightsAs): Uint8Array {
  const graph = new GraphBuilder(weights, weightsAs)
  const context: LayerContext = { graph, branches: null }
  let hidden = convolution(context, 'encoder.conv_in', graph.input('sample', ['batch', 3, 'height', 'width']))
  for (let i = 0; i < weights.count('encoder.down_blocks.'); i++) {
    const block = `encoder.down_blocks.${i}`
    hidden = residualBlocks(context, block, hidden)
    // It was trained to pad on the right and at the bottom only.
    if (weights.holds(`${block}.downsamplers.`))
      hidden = convolution(context, `${block}.downsamplers.0.conv`, hidden, { stride: 2, pads: [0, 0, 1, 1] })
  }
  hidden = finish(context, 'encoder', middle(context, 'encoder.mid_block', hidden))
  const parameters = weights.has('quant_conv.weight') ? convolution(context, 'quant_conv', hidden) : hidden
  graph.output(parameters, 'latent_parameters', ['batch', 'channels', 'latent_height', 'latent_width'])
  return graph.encode()
}

function residualBlocks(context: LayerContext, block: string, input: Value): Value {
  let hidden = input
  for (let j = 0; j < context.graph.weights.count(`${block}.resnets.`); j++)
    hidden = residualBlock(context, `${block}.resnets.${j}`, hidden, { time: null, epsilon })
  return hidden
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
  const attended = attend(graph, { query: project('to_q'), key: project('to_k'), value: project('to_v'), heads: 1 })
  const out = linear(context, `${module}.to_out.0`, toRows(graph, attended, channels))
  return graph.node('Add', [input, rowsToPixels(graph, out, input, channels)])
}

function finish(context: LayerContext, part: string, input: Value): Value {
  return convolution(context, `${part}.conv_out`, silu(context.graph, groupNorm(context.graph, `${part}.conv_norm_out`, input, epsilon)))
}

function doubled(graph: GraphBuilder, input: Value): Value {
  return graph.node('Resize', [input, '', graph.floats([1, 1, 2, 2])], {
    mode: 'nearest',
    coordinate_transformation_mode: 'asymmetric',
    nearest_mode: 'floor',
  })
}
