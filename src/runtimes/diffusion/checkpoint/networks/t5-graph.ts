import { GraphBuilder, type Value } from '../graph/graph-builder.ts'
import { type LayerContext, linear } from '../graph/layers.ts'
import { asRows, asSequence, attendRows, gatedFeedForward, geluTanh, rmsNorm } from '../graph/transformer-layers.ts'
import type { WeightTable } from '../weights/weight-table.ts'
import type { TransformerGraphOptions } from './transformer-graph.ts'

const epsilon = 1e-6

/**
 * Writes the graph of T5's encoder (version 1.1). How far tokens are apart counts by `buckets`, one for each pair.
 *
 * @see Raffel et al. 2019, arXiv:1910.10683
 */
export function writeT5Graph(weights: WeightTable, { target, branches }: TransformerGraphOptions): Uint8Array {
  const graph = new GraphBuilder(weights, target, branches)
  const context: LayerContext = { graph, branches }
  const table = 'encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight'
  const width = weights.sizeOf('shared.weight', 1)
  const heads = weights.sizeOf(table, 1)
  const ids = graph.input('input_ids', [1, 'tokens'], 'int64')
  const perPair = graph.gather(table, graph.input('buckets', ['tokens', 'tokens'], 'int64'))
  const mask = graph.node('Unsqueeze', [graph.node('Transpose', [perPair], { perm: [2, 0, 1] }), graph.integers([0])])
  let rows = asRows(graph, graph.gather('shared.weight', ids), width)
  const norm = (name: string, value: Value) => rmsNorm(graph, value, graph.weight(`${name}.weight`), epsilon)
  for (let i = 0; i < weights.count('encoder.block.'); i++) {
    const block = `encoder.block.${i}`
    const attention = `${block}.layer.0.SelfAttention`
    const normal = norm(`${block}.layer.0.layer_norm`, rows)
    const inner = weights.sizeOf(`${attention}.q.weight`, 0)
    const [query = '', key = '', value = ''] = ['q', 'k', 'v'].map((name) => linear(context, `${attention}.${name}`, normal))
    const attended = attendRows(graph, { query, key, value, heads, width: inner, mask, scale: 1 })
    rows = graph.node('Add', [rows, linear(context, `${attention}.o`, attended)])
    const feed = `${block}.layer.1.DenseReluDense`
    const parts = { gate: `${feed}.wi_0`, up: `${feed}.wi_1`, down: `${feed}.wo` }
    rows = graph.node('Add', [rows, gatedFeedForward(context, parts, norm(`${block}.layer.1.layer_norm`, rows), geluTanh)])
  }
  const hidden = norm('encoder.final_layer_norm', rows)
  graph.output(asSequence(graph, hidden, width), 'hidden_states', [1, 'tokens', width])
  return graph.encode()
}

const buckets = 32
const farthest = 128

/**
 * The bucket of every pair of tokens, row by row: near ones have one each, farther ones share them by their distance's logarithm.
 */
export function relativeBuckets(tokens: number): readonly number[] {
  const half = buckets / 2
  const exact = half / 2
  const bucketOf = (distance: number): number => {
    if (distance < exact) return distance
    const share = Math.fround(Math.log(distance / exact)) / Math.fround(Math.log(farthest / exact))
    return Math.min(exact + Math.floor(Math.fround(share * (half - exact))), half - 1)
  }
  return Array.from({ length: tokens * tokens }, (_, i) => {
    const distance = (i % tokens) - Math.floor(i / tokens)
    return (distance > 0 ? half : 0) + bucketOf(Math.abs(distance))
  })
}
