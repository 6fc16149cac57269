import type { Value } from '../graph/graph-builder.ts'
import { type LayerContext, linear, silu } from '../graph/layers.ts'
import { sinusoids } from '../graph/sinusoids.ts'
import type { TextContext } from './spatial-transformer.ts'
import type { UnetShape } from './unet-shape.ts'

/** What each block of a UNet is told. */
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
