import { type GgufEntry, type GgufTensor, ggufFloat, ggufValue, writeGguf } from './gguf-file.ts'

const [width, heads, hidden, layers, contextLength] = [32, 2, 48, 2, 64] as const
const headWidth = width / heads
const epsilon = 1e-12
/** llama.cpp's numbers of ways to make one result of a text. */
const [meanPooling, rankPooling] = [1, 4] as const
/** Its first and last tokens frame every text. */
const words = [
  '[PAD]',
  '[UNK]',
  '[CLS]',
  '[SEP]',
  '[MASK]',
  '▁fox',
  '▁dog',
  '▁runs',
  '▁far',
  '▁the',
  '##s',
  'fox',
  'dog',
  'runs',
  'far',
  'the',
]
export const [begin, end] = [2, 3] as const

type Weights = ReadonlyMap<string, Float32Array>

/** A miniature model and what it makes of tokens by its formulas. */
interface Miniature<Result> {
  readonly file: Buffer
  readonly read: (tokens: readonly number[]) => Result
}

/** A BERT of two layers with random weights, pooled by the mean, by the formulas of Devlin et al. 2018 (arXiv:1810.04805). */
export function createEncoder(): Miniature<readonly number[]> {
  const { tensors, weights } = makeWeights(bodyShapes())
  return { file: writeGguf(header(meanPooling), tensors), read: (tokens) => toUnitLength(meanOf(forward(weights, tokens))) }
}

/** The same with a head that makes a logit of the first token's vector, as cross-encoders have it (transformers' RobertaClassificationHead). */
export function createReranker(more: readonly GgufEntry[] = []): Miniature<number> {
  const shapes = [...bodyShapes(), ...linear('cls', width, width), ...linear('cls.output', width, 1)]
  const { tensors, weights } = makeWeights(shapes)
  const score = (tokens: readonly number[]): number => {
    const [first = []] = forward(weights, tokens)
    return linearOf(weights, 'cls.output', linearOf(weights, 'cls', first).map(Math.tanh))[0] ?? Number.NaN
  }
  return { file: writeGguf([...header(rankPooling), ...more], tensors), read: score }
}

function bodyShapes(): [name: string, shape: readonly number[]][] {
  const shapes: [name: string, shape: readonly number[]][] = [
    ['token_embd.weight', [width, words.length]],
    ['token_types.weight', [width, 2]],
    ['position_embd.weight', [width, contextLength]],
    ...norm('token_embd_norm'),
  ]
  for (let layer = 0; layer < layers; layer++) {
    const named = (name: string) => `blk.${layer}.${name}`
    for (const name of ['attn_q', 'attn_k', 'attn_v', 'attn_output']) shapes.push(...linear(named(name), width, width))
    shapes.push(...norm(named('attn_output_norm')), ...linear(named('ffn_up'), width, hidden))
    shapes.push(...linear(named('ffn_down'), hidden, width), ...norm(named('layer_output_norm')))
  }
  return shapes
}

function makeWeights(shapes: readonly [name: string, shape: readonly number[]][]): { tensors: readonly GgufTensor[]; weights: Weights } {
  const tensors = shapes.map(([name, shape]) => makeTensor(name, shape))
  return {
    tensors,
    weights: new Map(tensors.map(({ name, data }) => [name, new Float32Array(data.buffer, data.byteOffset, data.byteLength / 4)])),
  }
}

function header(pooling: number): Parameters<typeof writeGguf>[0] {
  return [
    ['general.architecture', ggufValue('bert')],
    ['bert.context_length', ggufValue(contextLength)],
    ['bert.embedding_length', ggufValue(width)],
    ['bert.feed_forward_length', ggufValue(hidden)],
    ['bert.block_count', ggufValue(layers)],
    ['bert.attention.head_count', ggufValue(heads)],
    ['bert.attention.layer_norm_epsilon', ggufFloat(epsilon)],
    ['bert.attention.causal', ggufValue(false)],
    ['bert.pooling_type', ggufValue(pooling)],
    ['tokenizer.ggml.model', ggufValue('bert')],
    ['tokenizer.ggml.tokens', ggufValue(words)],
    ['tokenizer.ggml.token_type', ggufValue(words.map((_, index) => (index < 5 ? 3 : 1)))],
    ['tokenizer.ggml.token_type_count', ggufValue(2)],
    ['tokenizer.ggml.bos_token_id', ggufValue(begin)],
    ['tokenizer.ggml.eos_token_id', ggufValue(end)],
    ['tokenizer.ggml.unknown_token_id', ggufValue(1)],
    ['tokenizer.ggml.seperator_token_id', ggufValue(end)],
    ['tokenizer.ggml.padding_token_id', ggufValue(0)],
    ['tokenizer.ggml.cls_token_id', ggufValue(begin)],
    ['tokenizer.ggml.mask_token_id', ggufValue(4)],
  ]
}

function linear(name: string, inputs: number, outputs: number): [string, readonly number[]][] {
  return [
    [`${name}.weight`, [inputs, outputs]],
    [`${name}.bias`, [outputs]],
  ]
}

function norm(name: string): [string, readonly number[]][] {
  return [
    [`${name}.weight`, [width]],
    [`${name}.bias`, [width]],
  ]
}

let state = 7

function makeTensor(name: string, shape: readonly number[]): GgufTensor {
  const values = new Float32Array(shape.reduce((product, size) => product * size, 1))
  for (let index = 0; index < values.length; index++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    values[index] = (state / 2 ** 32 - 0.5) * 0.6 + (/norm\.weight$/.test(name) ? 1 : 0)
  }
  return { name, shape, type: 0, data: Buffer.from(values.buffer) }
}

function forward(weights: Weights, tokens: readonly number[]): readonly (readonly number[])[] {
  const get = (name: string): Float32Array => weights.get(name) ?? new Float32Array()
  const row = (name: string, index: number) => [...get(name).subarray(index * width, (index + 1) * width)]
  const normOf = (name: string, input: readonly number[]): number[] => {
    const mean = input.reduce((sum, value) => sum + value, 0) / width
    const deviation = Math.sqrt(input.reduce((sum, value) => sum + (value - mean) ** 2, 0) / width + epsilon)
    return input.map(
      (value, index) => ((value - mean) / deviation) * (get(`${name}.weight`)[index] ?? 0) + (get(`${name}.bias`)[index] ?? 0),
    )
  }
  let texts = tokens.map((token, position) =>
    normOf(
      'token_embd_norm',
      add(row('token_embd.weight', token), add(row('token_types.weight', 0), row('position_embd.weight', position))),
    ),
  )
  for (let layer = 0; layer < layers; layer++) {
    const named = (name: string) => `blk.${layer}.${name}`
    const [queries = [], keys = [], values = []] = ['attn_q', 'attn_k', 'attn_v'].map((name) =>
      texts.map((text) => linearOf(weights, named(name), text)),
    )
    texts = texts.map((text, at) => {
      const seen = Array.from({ length: heads }, (_, head) => {
        const part = (vector: readonly number[] = []) => vector.slice(head * headWidth, (head + 1) * headWidth)
        const scores = softmax(keys.map((key) => dot(part(queries[at]), part(key)) / Math.sqrt(headWidth)))
        return scores.reduce(
          (sum, score, other) =>
            add(
              sum,
              part(values[other]).map((value) => value * score),
            ),
          Array(headWidth).fill(0),
        )
      }).flat()
      const attended = normOf(named('attn_output_norm'), add(text, linearOf(weights, named('attn_output'), seen)))
      const inner = linearOf(weights, named('ffn_up'), attended).map(gelu)
      return normOf(named('layer_output_norm'), add(attended, linearOf(weights, named('ffn_down'), inner)))
    })
  }
  return texts
}

function linearOf(weights: Weights, name: string, input: readonly number[]): number[] {
  const matrix = weights.get(`${name}.weight`) ?? new Float32Array()
  return [...(weights.get(`${name}.bias`) ?? [])].map(
    (bias, output) => bias + dot(input, matrix.subarray(output * input.length, (output + 1) * input.length)),
  )
}

function meanOf(vectors: readonly (readonly number[])[]): readonly number[] {
  return vectors.reduce(add).map((value) => value / vectors.length)
}

function toUnitLength(vector: readonly number[]): readonly number[] {
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}

function dot(a: readonly number[], b: ArrayLike<number>): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0)
}

function add(a: readonly number[], b: readonly number[]): number[] {
  return a.map((value, index) => value + (b[index] ?? 0))
}

function softmax(scores: readonly number[]): readonly number[] {
  const powers = scores.map((score) => Math.exp(score - Math.max(...scores)))
  const sum = powers.reduce((total, power) => total + power, 0)
  return powers.map((power) => power / sum)
}

/** The approximation by tanh (Hendrycks and Gimpel 2016), which ggml uses. */
function gelu(value: number): number {
  return 0.5 * value * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (value + 0.044715 * value ** 3)))
}
