import { GraphBuilder, type Value } from '../graph/graph-builder.ts'
import { type LayerContext, linear } from '../graph/layers.ts'
import {
  asRows,
  asSequence,
  attendRows,
  gatedFeedForward,
  normalizeHeads,
  rmsNorm,
  rotate,
  rotationInput,
} from '../graph/transformer-layers.ts'
import type { WeightTable } from '../weights/weight-table.ts'
import type { TransformerGraphOptions } from './transformer-graph.ts'

const epsilon = 1e-6

/**
 * Writes the graph of a language model of Qwen3's kind that reads a text: the hidden states after some layers, side by side. Layers
 * behind the last of them are left out.
 *
 * @param layers How many layers each hidden state has gone through, rising.
 * @see Yang et al. 2025, arXiv:2505.09388
 */
export function writeLanguageModelGraph(
  weights: WeightTable,
  layers: readonly number[],
  { target, branches }: TransformerGraphOptions,
): Uint8Array {
  const graph = new GraphBuilder(weights, target)
  const context: LayerContext = { graph, branches }
  const width = weights.sizeOf('embed_tokens.weight', 1)
  const headWidth = weights.sizeOf('layers.0.self_attn.q_norm.weight', 0)
  const ids = graph.input('input_ids', [1, 'tokens'], 'int64')
  const mask = graph.input('mask', [1, 1, 'tokens', 'tokens'])
  const angles = rotationInput(graph, 'rope', headWidth, false)
  let rows = asRows(graph, graph.gather('embed_tokens.weight', ids), width)
  const states: Value[] = []
  for (let i = 0; i < Math.max(...layers); i++) {
    const layer = `layers.${i}`
    const norm = (name: string, value: Value) => rmsNorm(graph, value, graph.weight(`${layer}.${name}.weight`), epsilon)
    const normal = norm('input_layernorm', rows)
    const project = (name: 'q' | 'k' | 'v') => {
      const module = `${layer}.self_attn.${name}_proj`
      const wide = weights.sizeOf(`${module}.weight`, 0)
      const projected = linear(context, module, normal)
      if (name === 'v') return { rows: projected, width: wide }
      const even = normalizeHeads(graph, `${layer}.self_attn.${name}_norm`, projected, wide, epsilon)
      return { rows: rotate(graph, even, angles, { heads: wide / headWidth, width: wide }), width: wide }
    }
    const [query, key, value] = [project('q'), project('k'), project('v')]
    const heads = query.width / headWidth
    const shared = (of: { readonly rows: Value; readonly width: number }) => repeatHeads(graph, of, { headWidth, heads })
    const attended = attendRows(graph, { query: query.rows, key: shared(key), value: shared(value), heads, width: query.width, mask })
    rows = graph.node('Add', [rows, linear(context, `${layer}.self_attn.o_proj`, attended)])
    const parts = { gate: `${layer}.mlp.gate_proj`, up: `${layer}.mlp.up_proj`, down: `${layer}.mlp.down_proj` }
    rows = graph.node('Add', [rows, gatedFeedForward(context, parts, norm('post_attention_layernorm', rows))])
    if (layers.includes(i + 1)) states.push(rows)
  }
  const hidden = states.length === 1 ? rows : graph.node('Concat', states, { axis: 1 })
  graph.output(asSequence(graph, hidden, width * states.length), 'hidden_states', [1, 'tokens', width * states.length])
  return graph.encode()
}

/** Repeats keys and values for grouped-query attention. */
function repeatHeads(
  graph: GraphBuilder,
  { rows, width }: { readonly rows: Value; readonly width: number },
  { headWidth, heads }: { readonly headWidth: number; readonly heads: number },
): Value {
  const own = width / headWidth
  if (own === heads) return rows
  const apart = graph.node('Reshape', [rows, graph.integers([-1, own, 1, headWidth])])
  const repeated = graph.node('Expand', [apart, graph.integers([1, own, heads / own, headWidth])])
  return asRows(graph, repeated, heads * headWidth)
}
