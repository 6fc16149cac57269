import { gridMerge, type ProjectorFacts } from '../../core/gguf/projector-facts.ts'
import type { GraphTarget } from '../diffusion/checkpoint/graph/find-graph-target.ts'
import { GraphBuilder, type Value } from '../diffusion/checkpoint/graph/graph-builder.ts'
import { attend, type LayerContext, layerNorm, linear } from '../diffusion/checkpoint/graph/layers.ts'
import {
  asRows,
  attendRows,
  geluTanh,
  type Rotation,
  rmsNorm,
  rotate,
  twoLayers,
} from '../diffusion/checkpoint/graph/transformer-layers.ts'
import type { WeightTable } from '../diffusion/checkpoint/weights/weight-table.ts'
import { feedForward, queryKeyValue, type TowerShape } from './tower-graph.ts'

/** Patches that attend to each other in layers with window attention. */
interface Windows {
  readonly windows: Value
  readonly back: Value
  readonly mask: Value
}

/**
 * Writes the graph of Qwen's towers, which take pictures of any size: patches with rotary positions, merged into one row per 2 × 2 patches.
 *
 * @see Bai et al. 2025, arXiv:2502.13923, section 2.1
 */
export function writeGridGraph(weights: WeightTable, facts: ProjectorFacts, target: GraphTarget): Uint8Array {
  const graph = new GraphBuilder(weights, target)
  const context: LayerContext = { graph, branches: null }
  const width = weights.sizeOf('v.patch_embd.weight', 0)
  const layer = new GridLayers(context, { facts, width })
  let rows = embedPatches(graph, facts, width)
  const extra: Value[] = []
  for (let i = 0; i < facts.layers; i++) {
    rows = layer.write(`v.blk.${i}`, rows, facts.wholeEvery === null || (i + 1) % facts.wholeEvery === 0)
    if (weights.has(deepStack(i))) extra.push(layer.deepRows(i, rows))
  }
  if (weights.has('v.post_ln.weight')) rows = layer.norm('v.post_ln', rows)
  const main = twoLayers(context, ['mm.0', 'mm.2'], asRows(graph, rows, width * gridMerge ** 2), geluTanh)
  graph.output(extra.length === 0 ? main : graph.node('Concat', [main, ...extra], { axis: 1 }), 'rows', ['rows', 'width'])
  return graph.encode()
}

/** Numbers of the vectors that a tower makes of a square: for the model's first layer and, behind them, those that come to later ones. */
export function gridWidth(weights: WeightTable, { layers }: ProjectorFacts): number {
  const later = Array.from({ length: layers }, (_, i) => i).filter((i) => weights.has(deepStack(i)))
  return weights.sizeOf('mm.2.weight', 0) * (1 + later.length)
}

function deepStack(layer: number): string {
  return `v.deepstack.${layer}.fc1.weight`
}

/** A picture is a film of two equal frames: what either frame's weights make of it is added. */
function embedPatches(graph: GraphBuilder, { patchSize }: ProjectorFacts, width: number): Value {
  const numbers = 3 * patchSize ** 2
  const patches = graph.input('patches', ['patches', numbers])
  const kernel = (name: string) => graph.weight(name, [width, numbers])
  const both = graph.node('Add', [kernel('v.patch_embd.weight'), kernel('v.patch_embd.weight.1')])
  const bias = graph.weights.has('v.patch_embd.bias') ? [graph.weight('v.patch_embd.bias')] : []
  const rows = graph.node('Gemm', [patches, both, ...bias], { transB: 1 })
  if (!graph.weights.has('v.position_embd.weight')) return rows
  const taken = graph.gather('v.position_embd.weight', graph.input('entries', [4, 'patches'], 'int64'))
  const shared = graph.node('Mul', [taken, graph.input('shares', [4, 'patches', 1])])
  return graph.node('Add', [rows, graph.node('ReduceSum', [shared, graph.integers([0])], { keepdims: 0 })])
}

class GridLayers {
  readonly #context: LayerContext
  readonly #shape: TowerShape
  readonly #rotation: Rotation
  readonly #windows: Windows | null

  constructor(context: LayerContext, shape: TowerShape) {
    const { graph } = context
    const { facts, width } = shape
    this.#context = context
    this.#shape = shape
    const angles = ['patches', width / facts.heads / 2]
    this.#rotation = { cos: graph.input('cos', angles), sin: graph.input('sin', angles), interleaved: false }
    this.#windows =
      facts.wholeEvery === null
        ? null
        : {
            windows: graph.input('windows', ['windows', 'room'], 'int64'),
            back: graph.input('back', ['patches'], 'int64'),
            mask: graph.input('mask', ['windows', 1, 'room', 'room']),
          }
  }

  write(layer: string, rows: Value, seesAll: boolean): Value {
    const { graph } = this.#context
    const attended = linear(this.#context, `${layer}.attn_out`, this.#attend(layer, this.norm(`${layer}.ln1`, rows), seesAll))
    const between = graph.node('Add', [rows, attended])
    return graph.node('Add', [between, feedForward(this.#context, layer, this.norm(`${layer}.ln2`, between), this.#shape)])
  }

  norm(module: string, rows: Value): Value {
    const { graph } = this.#context
    const { epsilon } = this.#shape.facts
    if (graph.weights.has(`${module}.bias`)) return layerNorm(graph, module, rows, epsilon)
    return rmsNorm(graph, rows, graph.weight(`${module}.weight`), epsilon)
  }

  /** A layer's rows for a later layer of the language model (DeepStack). @see Meng et al. 2024, arXiv:2406.04334 */
  deepRows(layer: number, rows: Value): Value {
    const squares = asRows(this.#context.graph, rows, this.#shape.width * gridMerge ** 2)
    const normal = this.norm(`v.deepstack.${layer}.norm`, squares)
    return twoLayers(this.#context, [`v.deepstack.${layer}.fc1`, `v.deepstack.${layer}.fc2`], normal, geluTanh)
  }

  #attend(layer: string, rows: Value, seesAll: boolean): Value {
    const { graph } = this.#context
    const { width } = this.#shape
    const { heads } = this.#shape.facts
    const [rawQuery = '', rawKey = '', value = ''] = queryKeyValue(this.#context, layer, rows)
    const turn = (input: Value) => rotate(graph, input, this.#rotation, { heads, width })
    const [query, key] = [turn(rawQuery), turn(rawKey)]
    if (seesAll || this.#windows === null) return attendRows(graph, { query, key, value, heads, width })
    const { windows, back, mask } = this.#windows
    const part = (input: Value) => graph.node('Gather', [input, windows])
    const inside = attend(graph, { query: part(query), key: part(key), value: part(value), heads, width, mask })
    return graph.node('Gather', [asRows(graph, inside, width), back])
  }
}
