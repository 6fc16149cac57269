import type { GraphTarget } from '../graph/find-graph-target.ts'
import { GraphBuilder, type Value } from '../graph/graph-builder.ts'
import { convolution, type LayerContext, silu } from '../graph/layers.ts'
import type { WeightTable } from '../weights/weight-table.ts'
import { descend } from './unet-graph.ts'
import { embedConditioning, type UnetShape } from './unet-shape.ts'

/**
 * Writes the graph of a ControlNet: the UNet's way down, shown a picture, whose steps go through convolutions of their own.
 * Its outputs are the UNet's inputs `control_0` … and `control_mid`.
 *
 * @see Zhang et al. 2023, arXiv:2302.05543
 */
export function writeControlnetGraph(weights: WeightTable, shape: UnetShape, target: GraphTarget): Uint8Array {
  const graph = new GraphBuilder(weights, target)
  const context: LayerContext = { graph, branches: null }
  const sample = graph.input('sample', ['batch', shape.inputChannels, 'height', 'width'])
  const picture = graph.input('picture', [
    'batch',
    weights.sizeOf('controlnet_cond_embedding.conv_in.weight', 1),
    'picture_height',
    'picture_width',
  ])
  const scale = graph.input('scale', [1])
  const conditioning = embedConditioning(context, shape, sample)
  const input = graph.node('Add', [convolution(context, 'conv_in', sample), embedPicture(context, picture)])
  const { skips, hidden } = descend(context, shape, input, conditioning)
  const give = (module: string, value: Value, name: string) => {
    const scaled = graph.node('Mul', [convolution(context, module, value), scale])
    graph.output(scaled, name, ['batch', 'channels', `${name}_height`, `${name}_width`])
  }
  for (const [i, skip] of skips.entries()) give(`controlnet_down_blocks.${i}`, skip, `control_${i}`)
  give('controlnet_mid_block', hidden, 'control_mid')
  return graph.encode()
}

/** Shrinks the picture to latent size; every second convolution halves it. */
function embedPicture(context: LayerContext, picture: Value): Value {
  const { graph } = context
  const part = 'controlnet_cond_embedding'
  let hidden = silu(graph, convolution(context, `${part}.conv_in`, picture))
  for (let i = 0; i < graph.weights.count(`${part}.blocks.`); i++)
    hidden = silu(graph, convolution(context, `${part}.blocks.${i}`, hidden, { stride: i % 2 === 0 ? 1 : 2 }))
  return convolution(context, `${part}.conv_out`, hidden)
}
