import type { Value } from '../graph/graph-builder.ts'
import { convolution, type LayerContext } from '../graph/layers.ts'
import { residualBlock } from './residual-block.ts'
import { spatialTransformer } from './spatial-transformer.ts'
import type { UnetConditioning } from './unet-conditioning.ts'
import type { UnetShape } from './unet-shape.ts'

const epsilon = 1e-5

/** Where a UNet is after its way down. */
export interface UnetDescent {
  /** What each step of the way up is given again, first step first. */
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
export function stage(
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
