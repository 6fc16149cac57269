import { GraphBuilder, type Value } from '../graph/graph-builder.ts'
import type { GraphTarget } from '../graph/graph-target.ts'
import { convolution, groupNorm, type LayerContext, type SideBranches, silu } from '../graph/layers.ts'
import type { WeightTable } from '../weights/weight-table.ts'
import { embedConditioning } from './unet-conditioning.ts'
import { descend, stage } from './unet-descent.ts'
import type { UnetShape } from './unet-shape.ts'

/** What a UNet's graph is made for besides its weights. */
export interface UnetGraphOptions {
  readonly target: GraphTarget
  readonly branches: SideBranches | null
  /** Whether it takes what ControlNets add: `control_0` … for the skips, `control_mid`. */
  readonly controlled: boolean
}

/**
 * Writes the graph of a UNet, with the input names of SDXL's official export.
 *
 * @param graph Takes the nodes; another one may write them otherwise, to compare.
 *
 * @see Ronneberger et al. 2015, arXiv:1505.04597; Podell et al. 2023, arXiv:2307.01952
 */
export function writeUnetGraph(
  weights: WeightTable,
  shape: UnetShape,
  { target, branches, controlled }: UnetGraphOptions,
  graph: GraphBuilder = new GraphBuilder(weights, target, branches),
): Uint8Array {
  const context: LayerContext = { graph, branches }
  const sample = graph.input('sample', ['batch', shape.inputChannels, 'height', 'width'])
  const conditioning = embedConditioning(context, shape, sample)
  const down = descend(context, shape, convolution(context, 'conv_in', sample), conditioning)
  const add = (value: Value, name: string) => graph.node('Add', [value, graph.input(name, ['one', 'any', 'any', 'any'])])
  const skips = controlled ? down.skips.map((skip, i) => add(skip, `control_${i}`)) : [...down.skips]
  let hidden = controlled ? add(down.hidden, 'control_mid') : down.hidden
  for (let i = 0; i < shape.blocks; i++) {
    const block = `up_blocks.${i}`
    for (let j = 0; j < weights.count(`${block}.resnets.`); j++) {
      const joined = graph.node('Concat', [hidden, skips.pop() ?? hidden], { axis: 1 })
      hidden = stage(context, block, j, joined, { conditioning, heads: shape.heads[shape.blocks - 1 - i] ?? 1 })
    }
    const next = skips.at(-1)
    if (next !== undefined && weights.holds(`${block}.upsamplers.`))
      hidden = convolution(context, `${block}.upsamplers.0.conv`, resizeLike(graph, hidden, next))
  }
  hidden = silu(graph, groupNorm(graph, 'conv_norm_out', hidden, 1e-5))
  graph.output(convolution(context, 'conv_out', hidden), 'out_sample', ['batch', 'channels', 'height', 'width'])
  return graph.encode()
}

/** Repeats pixels until the size is that of the skip it will meet: sizes that cannot be halved evenly round up on the way down. */
function resizeLike(graph: GraphBuilder, input: Value, like: Value): Value {
  const part = (value: Value, from: number, to: number) =>
    graph.node('Slice', [graph.node('Shape', [value]), graph.integers([from]), graph.integers([to])])
  const sizes = graph.node('Concat', [part(input, 0, 2), part(like, 2, 4)], { axis: 0 })
  return graph.node('Resize', [input, '', '', sizes], {
    mode: 'nearest',
    coordinate_transformation_mode: 'asymmetric',
    nearest_mode: 'floor',
  })
}
