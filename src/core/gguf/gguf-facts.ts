import { findTransformer } from '../checkpoint/transformer-file.ts'
import { ggmlTypes } from './ggml-types.ts'
import type { GgufHeader, GgufTensor } from './gguf-header.ts'
import { type ProjectorFacts, readProjectorFacts } from './projector-facts.ts'

/** What the header of a GGUF file means. */
export interface GgufFacts {
  /** '' in a later part of a split set, of which the first alone says what the model is, and in image models of stable-diffusion.cpp. */
  readonly architecture: string
  readonly name: string | null
  readonly license: string | null
  /** `text` generates; `embeddings` only encodes, `reranker` scores pairs of texts, `adapter` is a LoRA; the others are refused by name. */
  readonly use: 'text' | 'embeddings' | 'reranker' | 'projector' | 'adapter' | 'foreign-adapter' | 'picture'
  /** Whether each token sees only those before it, so that a text may be read in pieces. */
  readonly readsForward: boolean
  /** How the vectors of a text's tokens become one, in llama.cpp's words; null = the file does not say, or a number that we do not know. */
  readonly pooling: (typeof poolings)[number] | null
  /** Tokens that the model was trained for; null = it does not say. */
  readonly contextLength: number | null
  readonly layers: number
  readonly parameters: number
  /** Rows of its table of words; 0 = it has none. */
  readonly vocabularySize: number
  /** The type that stores most of the weights, such as `Q4_K`. */
  readonly quantization: string
  /** Bytes of keys and values per token at 16 bits, all layers together; recurrent layers count as if they were attention. */
  readonly cacheBytesPerToken: number
  /** Of a file that is one of several; null = it is whole. */
  readonly split: { readonly index: number; readonly count: number } | null
  /** Of a `projector`, what models see with it; a fault ends a sentence about the file. */
  readonly projector?: ProjectorFacts | { readonly fault: string }
}

/** Architectures that encode and never generate. */
const encoders = /^(?:.*bert.*|jina-.*|gemma-embedding|t5encoder|llama-embed)$/
/** Architectures of picture models that other programs keep in GGUF files. */
const pictures = /^(?:sd1|sd2|sd3|sdxl|flux|flux2|aura|lumina2|wan|ltxv|hyvid|hidream|cosmos|qwen_image|z_image|chroma)$/
/** Architectures that generate by filling in a whole text again and again. */
const fillers = /^(?:dream|llada|llada-moe|rnd1)$/
/** What the numbers of `pooling_type` mean; of `rank` a model scores pairs of texts. */
const poolings = ['none', 'mean', 'cls', 'last', 'rank'] as const

/** Reads the meaning of a header; null where it names no architecture. */
export function readGgufFacts(header: GgufHeader): GgufFacts | null {
  const { values, tensors } = header
  const text = (key: string): string | null => {
    const value = values.get(key)
    return typeof value === 'string' && value !== '' ? value : null
  }
  const count = highest(values.get('split.count')) ?? 0
  const split = count > 1 ? { index: highest(values.get('split.no')) ?? 0, count } : null
  const names = new Set(tensors.map(({ name }) => name))
  // stable-diffusion.cpp writes no metadata at all.
  const isPicture = findTransformer((name) => names.has(name)) !== null
  const architecture = text('general.architecture') ?? (isPicture || (split !== null && split.index > 0) ? '' : null)
  if (architecture === null) return null
  const number = (key: string): number | null => highest(values.get(`${architecture}.${key}`))
  const layers = number('block_count') ?? 0
  const width = number('embedding_length') ?? 0
  const heads = Math.max(1, number('attention.head_count') ?? 1)
  const keyHeads = number('attention.head_count_kv') ?? heads
  const headWidth = (number('attention.key_length') ?? width / heads) + (number('attention.value_length') ?? width / heads)
  const length = number('context_length')
  const pooling = poolings[number('pooling_type') ?? -1] ?? null
  const use = isPicture ? 'picture' : useOf(architecture, { kind: text('general.type'), adapts: adaptsAlways(values), pooling })
  return {
    architecture,
    name: text('general.name'),
    license: text('general.license'),
    use,
    readsForward: !encoders.test(architecture) && !fillers.test(architecture) && values.get(`${architecture}.attention.causal`) !== false,
    pooling,
    contextLength: length === null || length === 0 ? null : length,
    layers,
    parameters: tensors.reduce((sum, { shape }) => sum + sizeOf(shape), 0),
    vocabularySize: tensors.find(({ name }) => name === 'token_embd.weight')?.shape[1] ?? 0,
    quantization: mostUsed(tensors),
    cacheBytesPerToken: Math.max(1, layers * keyHeads * headWidth * 2),
    split,
    ...(use === 'projector' && { projector: readProjectorFacts(header) }),
  }
}

/** Whether an adapter is a LoRA, and changes a model from a text's first token on; an activated one waits for some tokens. */
function adaptsAlways(values: GgufHeader['values']): boolean {
  return values.get('adapter.type') === 'lora' && !values.has('adapter.alora.invocation_tokens')
}

function useOf(
  architecture: string,
  { kind, adapts, pooling }: { readonly kind: string | null; readonly adapts: boolean; readonly pooling: GgufFacts['pooling'] },
): GgufFacts['use'] {
  if (kind === 'adapter') return adapts ? 'adapter' : 'foreign-adapter'
  if (kind === 'mmproj' || architecture === 'clip') return 'projector'
  if (pictures.test(architecture)) return 'picture'
  if (pooling === 'rank') return 'reranker'
  return encoders.test(architecture) ? 'embeddings' : 'text'
}

/** ggml's numbers of types that this list does not have keep their number as a name. */
function mostUsed(tensors: readonly GgufTensor[]): string {
  const sizes = new Map<number, number>()
  for (const { type, shape } of tensors) sizes.set(type, (sizes.get(type) ?? 0) + sizeOf(shape))
  const [type] = [...sizes].toSorted(([, a], [, b]) => b - a)[0] ?? []
  return type === undefined ? 'none' : (ggmlTypes.get(type)?.name ?? `type ${type}`)
}

function sizeOf(shape: readonly number[]): number {
  return shape.reduce((product, each) => product * each, 1)
}

/** Per-layer lists count with their largest layer. */
function highest(value: unknown): number | null {
  if (typeof value === 'number') return value
  return Array.isArray(value) && value.length > 0 ? Math.max(...value.map(Number)) : null
}
