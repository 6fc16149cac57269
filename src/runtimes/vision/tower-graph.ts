import type { ProjectorFacts, SquareFamily } from '../../core/gguf/projector-facts.ts'
import type { GraphTarget } from '../diffusion/checkpoint/graph/find-graph-target.ts'
import { GraphBuilder, type Value } from '../diffusion/checkpoint/graph/graph-builder.ts'
import { type LayerContext, layerNorm, linear, silu } from '../diffusion/checkpoint/graph/layers.ts'
import { asRows, attendRows, gatedFeedForward, geluTanh, rmsNorm, twoLayers } from '../diffusion/checkpoint/graph/transformer-layers.ts'
import type { WeightTable } from '../diffusion/checkpoint/weights/weight-table.ts'

/**
 * Writes the graph of a tower for square pictures [1, 3, size, size] with normalized colours: a vision transformer, and the projector that makes
 * rows of the language model's width of its vectors.
 *
 * @see Dosovitskiy et al. 2021, arXiv:2010.11929
 */
export function writeTowerGraph(weights: WeightTable, facts: SquareFacts, target: GraphTarget): Uint8Array {
  const graph = new GraphBuilder(weights, target)
  const context: LayerContext = { graph, branches: null }
  const picture = graph.input('picture', [1, 3, facts.imageSize, facts.imageSize])
  const patches = embedPatches(graph, picture, facts.patchSize)
  const classed = weights.has('v.class_embd')
  const width = weights.sizeOf('v.patch_embd.weight', 0)
  const first = classed ? graph.node('Concat', [graph.weight('v.class_embd', [1, width]), patches], { axis: 0 }) : patches
  let rows = graph.node('Add', [first, graph.weight('v.position_embd.weight')])
  if (weights.has('v.pre_ln.weight')) rows = layerNorm(graph, 'v.pre_ln', rows, facts.epsilon)
  // LLaVA reads what the last layer but one makes.
  const layers = facts.family === 'mlp' ? facts.layers - 1 : facts.layers
  for (let i = 0; i < layers; i++) rows = transformerLayer(context, `v.blk.${i}`, rows, { facts, width })
  if (weights.has('v.post_ln.weight')) rows = layerNorm(graph, 'v.post_ln', rows, facts.epsilon)
  const seen = classed
    ? graph.node('Slice', [rows, graph.integers([1]), graph.integers([Number.MAX_SAFE_INTEGER]), graph.integers([0])])
    : rows
  graph.output(projectors[facts.family](context, seen, { facts, width }), 'rows', ['rows', 'width'])
  return graph.encode()
}

type SquareFacts = ProjectorFacts & { readonly family: SquareFamily }

/** A tower's shape from its header, and the width of its vectors. */
export interface TowerShape {
  readonly facts: ProjectorFacts
  readonly width: number
}

interface Shape extends TowerShape {
  readonly facts: SquareFacts
}

/** One vector for each square of the picture, row by row. */
function embedPatches(graph: GraphBuilder, picture: Value, side: number): Value {
  const bias = graph.weights.has('v.patch_embd.bias') ? [graph.weight('v.patch_embd.bias')] : []
  const options = { kernel_shape: [side, side], strides: [side, side] }
  const channels = graph.node('Conv', [picture, graph.weight('v.patch_embd.weight'), ...bias], options)
  const width = graph.weights.sizeOf('v.patch_embd.weight', 0)
  return asRows(graph, graph.node('Transpose', [channels], { perm: [0, 2, 3, 1] }), width)
}

function transformerLayer(context: LayerContext, layer: string, rows: Value, { facts, width }: Shape): Value {
  const { graph } = context
  const { heads, epsilon } = facts
  const normal = layerNorm(graph, `${layer}.ln1`, rows, epsilon)
  const [query = '', key = '', value = ''] = queryKeyValue(context, layer, normal)
  const attended = linear(context, `${layer}.attn_out`, attendRows(graph, { query, key, value, heads, width }))
  const between = graph.node('Add', [rows, attended])
  return graph.node('Add', [between, feedForward(context, layer, layerNorm(graph, `${layer}.ln2`, between, epsilon), { facts, width })])
}

/** What each row looks for, offers and says, from three matrices or one. */
export function queryKeyValue(context: LayerContext, layer: string, rows: Value): readonly Value[] {
  const { graph } = context
  if (!graph.weights.has(`${layer}.attn_qkv.weight`)) return ['q', 'k', 'v'].map((name) => linear(context, `${layer}.attn_${name}`, rows))
  return graph.nodes('Split', [linear(context, `${layer}.attn_qkv`, rows)], { axis: 1, num_outputs: 3 }, 3)
}

/** The layer that widens each row and narrows it again, gated where it has a gate. */
export function feedForward(context: LayerContext, layer: string, rows: Value, { facts, width }: TowerShape): Value {
  // Old converters called the first of the two layers "down".
  const swapped = context.graph.weights.sizeOf(`${layer}.ffn_down.weight`, 1) === width
  const [up, down] = swapped ? ['ffn_down', 'ffn_up'] : ['ffn_up', 'ffn_down']
  const names = { gate: `${layer}.ffn_gate`, up: `${layer}.${up}`, down: `${layer}.${down}` }
  const activation = activations[facts.activation]
  if (context.graph.weights.has(`${names.gate}.weight`)) return gatedFeedForward(context, names, rows, activation)
  return twoLayers(context, [names.up, names.down], rows, activation)
}

const activations: Readonly<Record<ProjectorFacts['activation'], (graph: GraphBuilder, input: Value) => Value>> = {
  gelu: geluTanh,
  silu,
  'quick-gelu': (graph, input) =>
    graph.node('Mul', [input, graph.node('Sigmoid', [graph.node('Mul', [input, graph.floats([1.702], [])])])]),
}

const projectors: Readonly<Record<SquareFamily, (context: LayerContext, rows: Value, shape: Shape) => Value>> = {
  mlp: (context, rows) => linear(context, 'mm.2', geluTanh(context.graph, linear(context, 'mm.0', rows))),
  idefics3: (context, rows, shape) => linear(context, 'mm.model.fc', joinNeighbours(context.graph, rows, shape)),
  gemma3: ({ graph }, rows, { facts, width }) => {
    const side = facts.imageSize / facts.patchSize
    const channels = graph.node('Transpose', [graph.node('Reshape', [rows, graph.integers([1, side, side, width])])], {
      perm: [0, 3, 1, 2],
    })
    const pooling = { kernel_shape: [facts.merge, facts.merge], strides: [facts.merge, facts.merge] }
    const pooled = graph.node('Transpose', [graph.node('AveragePool', [channels], pooling)], { perm: [0, 2, 3, 1] })
    const normal = rmsNorm(graph, asRows(graph, pooled, width), graph.weight('mm.soft_emb_norm.weight'), facts.epsilon)
    return graph.node('Gemm', [normal, graph.weight('mm.input_projection.weight')], { transB: 0 })
  },
}

/** The vectors of each square of `merge` × `merge` patches side by side. */
function joinNeighbours(graph: GraphBuilder, rows: Value, { facts: { imageSize, patchSize, merge }, width }: Shape): Value {
  const squares = imageSize / patchSize / merge
  const apart = graph.node('Reshape', [rows, graph.integers([squares, merge, squares, merge, width])])
  return asRows(graph, graph.node('Transpose', [apart], { perm: [0, 2, 1, 3, 4] }), width * merge * merge)
}
