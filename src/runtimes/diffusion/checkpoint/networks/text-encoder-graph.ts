import type { GraphTarget } from '../graph/find-graph-target.ts'
import { GraphBuilder, type Value } from '../graph/graph-builder.ts'
import { attend, type LayerContext, layerNorm, linear, type SideBranches, toRows, toSequences } from '../graph/layers.ts'
import { onnxTypes } from '../graph/onnx-messages.ts'
import type { WeightTable } from '../weights/weight-table.ts'

/** Options of a CLIP text encoder that its weights do not determine. */
export interface TextEncoderOptions {
  /** OpenAI's CLIP approximates GELU, OpenCLIP does not. */
  readonly activation: 'quick_gelu' | 'gelu'
  readonly heads: number
  readonly layers: number
  /** The token at whose first place the pooled text is taken. */
  readonly endId: number
  /** Whether hidden states pass the final norm, as SD 1.5 and 2.x read them. */
  readonly normed: boolean
  /** Whether the pooled, projected text is given out. */
  readonly projected: boolean
  /** Whether the pooled text is given out as it is; absent = it is not. */
  readonly pooledPlainly?: boolean
}

export interface TextEncoderGraphOptions {
  readonly target: GraphTarget
  readonly branches: SideBranches | null
}

/**
 * Writes the graph of a CLIP text encoder. Besides the ids it takes vectors for some of the tokens (`token_vectors`, read
 * where `is_vector` is not 0), which is how textual inversions come in.
 *
 * @see Radford et al. 2021, arXiv:2103.00020
 */
export function writeTextEncoderGraph(
  weights: WeightTable,
  { activation, heads, layers, endId, normed, projected, pooledPlainly = false }: TextEncoderOptions,
  { target, branches }: TextEncoderGraphOptions,
): Uint8Array {
  const graph = new GraphBuilder(weights, target, branches)
  const context: LayerContext = { graph, branches }
  const width = weights.sizeOf('text_model.embeddings.token_embedding.weight', 1)
  const tokens = weights.sizeOf('text_model.embeddings.position_embedding.weight', 0)
  const ids = graph.input('input_ids', ['batch', tokens], 'int64')
  const batch = graph.node('Slice', [graph.node('Shape', [ids]), graph.integers([0]), graph.integers([1])])
  const mask = graph.floats(causalMask(tokens), [1, 1, tokens, tokens])
  let rows = toRows(graph, embedTokens(graph, { ids, width, tokens }), width)
  const states = [rows]
  for (let i = 0; i < layers; i++) {
    const layer = `text_model.encoder.layers.${i}`
    const normal = layerNorm(graph, `${layer}.layer_norm1`, rows)
    const project = (name: string) => toSequences(graph, linear(context, `${layer}.self_attn.${name}`, normal), batch, width)
    const attended = attend(graph, { query: project('q_proj'), key: project('k_proj'), value: project('v_proj'), heads, width, mask })
    rows = graph.node('Add', [rows, linear(context, `${layer}.self_attn.out_proj`, toRows(graph, attended, width))])
    const wide = linear(context, `${layer}.mlp.fc1`, layerNorm(graph, `${layer}.layer_norm2`, rows))
    rows = graph.node('Add', [rows, linear(context, `${layer}.mlp.fc2`, activate(graph, wide, activation))])
    states.push(rows)
  }
  const final = (value: Value) => layerNorm(graph, 'text_model.final_layer_norm', value)
  for (const [i, state] of states.entries()) {
    const hidden = normed ? final(state) : state
    graph.output(toSequences(graph, hidden, batch, width), `hidden_states.${i}`, ['batch', tokens, width])
  }
  if (projected || pooledPlainly) {
    const pooled = graph.node('GatherND', [toSequences(graph, final(rows), batch, width), endPlaces(graph, ids, endId)], { batch_dims: 1 })
    const projection = projected ? linear({ graph, branches: null }, 'text_projection', pooled) : graph.node('Identity', [pooled])
    graph.output(projection, 'text_embeds', ['batch', projected ? weights.sizeOf('text_projection.weight', 0) : width])
  }
  return graph.encode()
}

function embedTokens(
  graph: GraphBuilder,
  { ids, width, tokens }: { readonly ids: Value; readonly width: number; readonly tokens: number },
): Value {
  const known = graph.gather('text_model.embeddings.token_embedding.weight', ids)
  const vectors = graph.input('token_vectors', ['batch', tokens, width])
  const chosen = graph.node('Cast', [graph.input('is_vector', ['batch', tokens, 1])], { to: onnxTypes.bool })
  const embedded = graph.node('Where', [chosen, vectors, known])
  return graph.node('Add', [embedded, graph.weight('text_model.embeddings.position_embedding.weight')])
}

/** Index of the first end token in each row of ids, [batch, 1]. */
function endPlaces(graph: GraphBuilder, ids: Value, endId: number): Value {
  const isEnd = graph.node('Cast', [graph.node('Equal', [ids, graph.integers([endId])])], { to: onnxTypes.int32 })
  return graph.node('ArgMax', [isEnd], { axis: 1, keepdims: 1 })
}

function activate(graph: GraphBuilder, input: Value, activation: TextEncoderOptions['activation']): Value {
  if (activation === 'gelu') return graph.node('Gelu', [input])
  return graph.node('Mul', [input, graph.node('Sigmoid', [graph.node('Mul', [input, graph.floats([1.702], [])])])])
}

/** No token sees a later one. */
function causalMask(tokens: number): readonly number[] {
  return Array.from({ length: tokens * tokens }, (_, i) => (i % tokens > Math.floor(i / tokens) ? -3.4028234663852886e38 : 0))
}
