import type { GraphBuilder, Value } from './graph-builder.ts'
import { type Attention, attend, type LayerContext, linear, silu, sinusoids } from './layers.ts'

/** Angles by which queries and keys are turned, one row per token: inputs of a graph. */
export interface Rotation {
  /** [tokens, head width / 2] */
  readonly cos: Value
  readonly sin: Value
  /** Whether neighbours make a pair; else each half's elements pair with the other half's. */
  readonly interleaved: boolean
}

/** Width of the features that times and guidance are given in, in every family. */
const timeWidth = 256

const single = (graph: GraphBuilder): Value => graph.integers([1])

/** Declares the angles of some tokens. */
export function rotationInput(graph: GraphBuilder, name: string, headWidth: number, interleaved = true): Rotation {
  const shape = [`${name}_tokens`, headWidth / 2]
  return { cos: graph.input(`${name}_cos`, shape), sin: graph.input(`${name}_sin`, shape), interleaved }
}

/** Rows [tokens, width] as a batch of one. */
export function asSequence(graph: GraphBuilder, rows: Value, width: number): Value {
  return graph.node('Reshape', [rows, graph.integers([1, -1, width])])
}

/** A batch of one as rows. */
export function asRows(graph: GraphBuilder, sequence: Value, width: number): Value {
  return graph.node('Reshape', [sequence, graph.integers([-1, width])])
}

/** Declares the encoded text and takes it as rows. */
export function textRows(graph: GraphBuilder, width: number): Value {
  return asRows(graph, graph.input('encoder_hidden_states', [1, 'tokens', width]), width)
}

/** Divides each row by the root of its mean square, then multiplies by `scale` [width]. @see Zhang and Sennrich 2019, arXiv:1910.07467 */
export function rmsNorm(graph: GraphBuilder, input: Value, scale: Value, epsilon: number): Value {
  return graph.node('SimplifiedLayerNormalization', [input, scale], { axis: -1, epsilon: { float: epsilon }, stash_type: 1 })
}

/** Normalizes each head of rows [tokens, heads · head width] by itself. */
export function normalizeHeads(graph: GraphBuilder, norm: string, rows: Value, width: number, epsilon: number): Value {
  const name = `${norm}.weight`
  const heads = graph.node('Reshape', [rows, graph.integers([-1, graph.weights.sizeOf(name, 0)])])
  return asRows(graph, rmsNorm(graph, heads, graph.weight(name), epsilon), width)
}

/** Turns pairs of each head of rows [tokens, width]. @see Su et al. 2021, arXiv:2104.09864 */
export function rotate(
  graph: GraphBuilder,
  rows: Value,
  { cos, sin, interleaved }: Rotation,
  { heads, width }: Pick<Attention, 'heads' | 'width'>,
): Value {
  const inputs = [asSequence(graph, rows, width), graph.integers([0]), cos, sin]
  const turned = graph.node('com.microsoft:RotaryEmbedding', inputs, { num_heads: heads, interleaved: interleaved ? 1 : 0 })
  return asRows(graph, turned, width)
}

/** Attention of rows to rows, all [tokens, width]. */
export function attendRows(graph: GraphBuilder, { query, key, value, heads, width, ...more }: Attention): Value {
  const sequence = (rows: Value) => asSequence(graph, rows, width)
  return asRows(graph, attend(graph, { query: sequence(query), key: sequence(key), value: sequence(value), heads, width, ...more }), width)
}

/** Normalizes rows without weights of its own; `scale` and `shift` [width] come from what the block is modulated by. */
export function modulatedNorm(
  graph: GraphBuilder,
  input: Value,
  { shift, scale }: { readonly shift?: Value; readonly scale: Value },
): Value {
  const factor = plusOne(graph, scale)
  return graph.node('LayerNormalization', shift === undefined ? [input, factor] : [input, factor, shift], {
    axis: -1,
    epsilon: { float: 1e-6 },
  })
}

/** The last layer, modulated by one row of conditioning in two parts; named as in diffusers. */
export function lastLayer(context: LayerContext, rows: Value, row: Value): Value {
  const [shift = '', scale = ''] = ['shift', 'scale'].flatMap((part) => modulation(context, `norm_out.${part}`, row, 1))
  return linear(context, 'proj_out', modulatedNorm(context.graph, rows, { shift, scale }))
}

/** 1 + x */
export function plusOne(graph: GraphBuilder, value: Value): Value {
  return graph.once(`plus-one:${value}`, () => graph.node('Add', [value, graph.floats([1], [])]))
}

/** Vectors [width] that a linear layer makes of one row of conditioning. */
export function modulation(context: LayerContext, module: string, row: Value, parts: number): readonly Value[] {
  const { graph } = context
  const whole = graph.node('Reshape', [linear(context, module, row), graph.integers([-1])])
  return parts === 1 ? [whole] : graph.nodes('Split', [whole], { axis: 0, num_outputs: parts }, parts)
}

/** x + gate · change */
export function addGated(graph: GraphBuilder, input: Value, gate: Value, change: Value): Value {
  return graph.node('Add', [input, graph.node('Mul', [change, gate])])
}

/** Two linear layers with an activation between. */
export function twoLayers(context: LayerContext, [first, second]: readonly [string, string], input: Value, activation = silu): Value {
  return linear(context, second, activation(context.graph, linear(context, first, input)))
}

/** GELU by its approximation with the hyperbolic tangent. @see Hendrycks and Gimpel 2016, arXiv:1606.08415 */
export function geluTanh(graph: GraphBuilder, input: Value): Value {
  return graph.node('Gelu', [input], { approximate: 'tanh' })
}

/** A gated feed-forward layer: down(active(gate · x) · (up · x)). @see Shazeer 2020, arXiv:2002.05202 */
export function gatedFeedForward(
  context: LayerContext,
  { gate, up, down }: { readonly gate: string; readonly up: string; readonly down: string },
  input: Value,
  activation = silu,
): Value {
  const { graph } = context
  const active = activation(graph, linear(context, gate, input))
  return linear(context, down, graph.node('Mul', [active, linear(context, up, input)]))
}

/** A time or guidance, embedded by two linear layers. */
export function embedNumber(context: LayerContext, layers: readonly [string, string], number: Value): Value {
  return twoLayers(context, layers, sinusoids(context.graph, number, timeWidth))
}

/** Puts rows one after the other. */
export function joinRows(graph: GraphBuilder, rows: readonly Value[]): Value {
  return graph.node('Concat', rows, { axis: 0 })
}

/** Number of rows, a vector of one. */
export function rowCount(graph: GraphBuilder, rows: Value): Value {
  return graph.once(`rows:${rows}`, () => graph.node('Slice', [graph.node('Shape', [rows]), graph.integers([0]), single(graph)]))
}

/** The rows from one number of rows on, up to another. */
export function rowsBetween(graph: GraphBuilder, rows: Value, from: Value, to: Value = graph.integers([Number.MAX_SAFE_INTEGER])): Value {
  return graph.node('Slice', [rows, from, to, graph.integers([0])])
}

/** In which order the numbers of a patch of 2 × 2 latent pixels stand in a row. */
export type PatchOrder = 'channels-first' | 'channels-last'

/** Latents [1, channels, height, width] as rows of patches of 2 × 2. */
export function patchify(graph: GraphBuilder, latents: Value, channels: number, order: PatchOrder): Value {
  const [height, width] = halfSizes(graph, latents)
  const [two, depth] = [graph.integers([2]), graph.integers([channels])]
  const split = graph.node('Reshape', [latents, graph.node('Concat', [depth, height, two, width, two], { axis: 0 })])
  const perm = order === 'channels-first' ? [1, 3, 0, 2, 4] : [1, 3, 2, 4, 0]
  return asRows(graph, graph.node('Transpose', [split], { perm }), channels * 4)
}

/** Rows of patches back to latents of the size of `like`. */
export function unpatchify(graph: GraphBuilder, rows: Value, like: Value, channels: number, order: PatchOrder): Value {
  const [height, width] = halfSizes(graph, like)
  const [two, depth] = [graph.integers([2]), graph.integers([channels])]
  const first = order === 'channels-first'
  const sizes = first ? [height, width, depth, two, two] : [height, width, two, two, depth]
  const split = graph.node('Reshape', [rows, graph.node('Concat', sizes, { axis: 0 })])
  const moved = graph.node('Transpose', [split], { perm: first ? [2, 0, 3, 1, 4] : [4, 0, 2, 1, 3] })
  const shape = graph.node('Shape', [like])
  const size = graph.node('Slice', [shape, graph.integers([2]), graph.integers([4])])
  return graph.node('Reshape', [moved, graph.node('Concat', [graph.integers([1, channels]), size], { axis: 0 })])
}

/** Half the height and half the width of latents, vectors of one. */
function halfSizes(graph: GraphBuilder, latents: Value): readonly [Value, Value] {
  const half = (axis: number): Value =>
    graph.once(`half:${latents}:${axis}`, () => {
      const size = graph.node('Slice', [graph.node('Shape', [latents]), graph.integers([axis]), graph.integers([axis + 1])])
      return graph.node('Div', [size, graph.integers([2])])
    })
  return [half(2), half(3)]
}
