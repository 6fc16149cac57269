import type { GraphTarget } from '../graph/find-graph-target.ts'
import { GraphBuilder, type Value } from '../graph/graph-builder.ts'
import { convolution, groupNorm, type LayerContext, type SideBranches, silu } from '../graph/layers.ts'
import type { WeightTable } from '../weights/weight-table.ts'
import { residualBlock } from './residual-block.ts'
import { spatialTransformer } from './spatial-transformer.ts'
import { embedConditioning, type UnetConditioning, type UnetShape } from './unet-shape.ts'

/** Options of a UNet's graph besides its weights. */
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

const epsilon = 1e-5

/** State of a UNet after its down path. */
export interface UnetDescent {
  /** Skip connections for the up path, in order of use. */
  readonly skips: readonly Value[]
  readonly hidden: Value
}

/** The way down of a UNet or a ControlNet, from its first convolution's output to the end of its middle block. */
export function descend(context: LayerContext, shape: UnetShape, input: Value, conditioning: UnetConditioning): UnetDescent {
  const { graph } = context
  const skips = [input]
  let hidden = input
  for (let i = 0; i < shape.blocks; i++) {
    const block = `down_blocks.${i}`
    for (let j = 0; j < graph.weights.count(`${block}.resnets.`); j++) {
      hidden = stage(context, block, j, hidden, { conditioning, heads: shape.heads[i] ?? 1 })
      skips.push(hidden)
    }
    if (!graph.weights.holds(`${block}.downsamplers.`)) continue
    hidden = convolution(context, `${block}.downsamplers.0.conv`, hidden, { stride: 2 })
    skips.push(hidden)
  }
  const heads = shape.heads.at(-1) ?? 1
  hidden = stage(context, 'mid_block', 0, hidden, { conditioning, heads })
  return { skips, hidden: residualBlock(context, 'mid_block.resnets.1', hidden, { time: conditioning.time, epsilon }) }
}

/** A residual block and, where the block has it, its attention. */
function stage(
  context: LayerContext,
  block: string,
  index: number,
  input: Value,
  { conditioning, heads }: { readonly conditioning: UnetConditioning; readonly heads: number },
): Value {
  const hidden = residualBlock(context, `${block}.resnets.${index}`, input, { time: conditioning.time, epsilon })
  if (!context.graph.weights.holds(`${block}.attentions.${index}.`)) return hidden
  return spatialTransformer(context, `${block}.attentions.${index}`, hidden, { text: conditioning.text, heads })
}
