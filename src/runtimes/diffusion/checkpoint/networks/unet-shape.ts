import { unusableModel } from '../../onnx/model-file.ts'
import type { Value } from '../graph/graph-builder.ts'
import { type LayerContext, linear, silu, sinusoids } from '../graph/layers.ts'
import type { WeightTable } from '../weights/weight-table.ts'
import type { TextContext } from './spatial-transformer.ts'

/** Options of a UNet that its weights do not determine, named as in diffusers' `unet/config.json`. */
export interface UnetOptions {
  /** Attention heads per block, outermost first; the same number everywhere; or channels per head. */
  readonly heads: { readonly perBlock: readonly number[] } | { readonly count: number } | { readonly channels: number }
  /** Width of the features of each size. */
  readonly timeIdWidth: number
  /** Width of the pooled text, or null when it takes none. */
  readonly pooledWidth: number | null
}

/** Sizes of a UNet, or of the part of one that is a ControlNet. */
export interface UnetShape {
  readonly blocks: number
  /** Attention heads per block, outermost first. */
  readonly heads: readonly number[]
  readonly channels: number
  readonly inputChannels: number
  readonly contextWidth: number
  /** null = takes neither pooled text nor sizes (SD 1.5 and 2.x). */
  readonly added: { readonly pooledWidth: number; readonly timeIds: number; readonly timeIdWidth: number } | null
  /** Width of the guidance embedding of a distilled model, or null. */
  readonly guidanceWidth: number | null
}

/** Reads the sizes from the weights' names and shapes. */
export function readUnetShape(weights: WeightTable, options: UnetOptions): UnetShape {
  const blocks = weights.count('down_blocks.')
  if (blocks === 0) throw unusableModel(weights.label, 'has no "down_blocks"')
  const reader = weights.names().find((name) => name.endsWith('.attn2.to_k.weight'))
  if (reader === undefined) throw unusableModel(weights.label, 'has no attention to text ("attn2.to_k")')
  const guidance = 'time_embedding.cond_proj.weight'
  return {
    blocks,
    heads: Array.from({ length: blocks }, (_, i) => headsOf(weights, options, i)),
    channels: weights.sizeOf('conv_in.weight', 0),
    inputChannels: weights.sizeOf('conv_in.weight', 1),
    contextWidth: weights.sizeOf(reader, 1),
    added: readAdded(weights, options),
    guidanceWidth: weights.has(guidance) ? weights.sizeOf(guidance, 1) : null,
  }
}

function headsOf(weights: WeightTable, { heads }: UnetOptions, block: number): number {
  if ('perBlock' in heads) return heads.perBlock[block] ?? heads.perBlock.at(-1) ?? 1
  if ('count' in heads) return heads.count
  return Math.max(1, Math.floor(weights.sizeOf(`down_blocks.${block}.resnets.0.conv2.weight`, 0) / heads.channels))
}

function readAdded(weights: WeightTable, { timeIdWidth, pooledWidth }: UnetOptions): UnetShape['added'] {
  if (!weights.has('add_embedding.linear_1.weight')) return null
  if (pooledWidth === null) throw unusableModel(weights.label, 'takes a pooled text that no text encoder gives')
  const timeIds = (weights.sizeOf('add_embedding.linear_1.weight', 1) - pooledWidth) / timeIdWidth
  if (timeIds !== 5 && timeIds !== 6) throw unusableModel(weights.label, `takes ${timeIds} sizes instead of 5 or 6`)
  return { pooledWidth, timeIds, timeIdWidth }
}

/** The inputs of each block of a UNet. */
export interface UnetConditioning {
  /** Rows [1 or batch, width]: timestep, and pooled text and sizes where it takes them, after the activation. */
  readonly time: Value
  readonly text: TextContext
}

/** Declares a UNet's inputs besides the latents and embeds them. */
export function embedConditioning(context: LayerContext, shape: UnetShape, sample: Value): UnetConditioning {
  const { graph } = context
  const timestep = graph.wideInput('timestep', [1])
  const hidden = graph.input('encoder_hidden_states', ['batch', 'tokens', shape.contextWidth])
  let features = sinusoids(graph, timestep, shape.channels)
  if (shape.guidanceWidth !== null) {
    const guidance = linear(context, 'time_embedding.cond_proj', graph.input('timestep_cond', ['batch', shape.guidanceWidth]))
    features = graph.node('Add', [features, guidance])
  }
  let time = embed(context, 'time_embedding', features)
  if (shape.added !== null) {
    const { pooledWidth, timeIds, timeIdWidth } = shape.added
    const pooled = graph.input('text_embeds', ['batch', pooledWidth])
    const sizes = sinusoids(graph, graph.wideInput('time_ids', ['batch', timeIds]), timeIdWidth)
    const flat = graph.node('Reshape', [sizes, graph.integers([-1, timeIds * timeIdWidth])])
    const added = embed(context, 'add_embedding', graph.node('Concat', [pooled, flat], { axis: 1 }))
    time = graph.node('Add', [time, added])
  }
  const batch = graph.node('Slice', [graph.node('Shape', [sample]), graph.integers([0]), graph.integers([1])])
  const rows = graph.node('Reshape', [hidden, graph.integers([-1, shape.contextWidth])])
  return { time: silu(graph, time), text: { rows, batch } }
}

function embed(context: LayerContext, module: string, input: Value): Value {
  return linear(context, `${module}.linear_2`, silu(context.graph, linear(context, `${module}.linear_1`, input)))
}
