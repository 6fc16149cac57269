import { findTransformer } from '../checkpoint/transformer-file.ts'
import { ggmlTypes } from './ggml-types.ts'
import type { GgufHeader } from './gguf-header.ts'
import type { GgufTensor } from './gguf-tensors.ts'
import { type ProjectorFacts, readProjectorFacts } from './projector-facts.ts'

/** Properties of a model, read from the header of its GGUF file. */
export interface GgufFacts {
  /** Empty in image models of stable-diffusion.cpp, and in later parts of a split file, where only the first part names it. */
  readonly architecture: string
  readonly name: string | null
  readonly license: string | null
  /** `text` generates; `embeddings` only encodes, `reranker` scores pairs of texts, `adapter` is a LoRA; the others are refused by name. */
  readonly use: 'text' | 'embeddings' | 'reranker' | 'projector' | 'adapter' | 'foreign-adapter' | 'picture'
  /** Whether attention is causal, so that a text can be processed in pieces. */
  readonly readsForward: boolean
  /** Pooling of token vectors, as named by llama.cpp; null = not in the file, or an unknown number. */
  readonly pooling: (typeof poolings)[number] | null
  /** Context length the model was trained for, in tokens; null = not in the file. */
  readonly contextLength: number | null
  readonly layers: number
  readonly parameters: number
  /** Rows of the embedding table; 0 = none. */
  readonly vocabularySize: number
  /** Storage type of most weights, such as `Q4_K`. */
  readonly quantization: string
  /** Bytes of keys and values per token at 16 bits, all layers together; recurrent layers count as if they were attention. */
  readonly cacheBytesPerToken: number
  /** Position in a split file; null = not split. */
  readonly split: { readonly index: number; readonly count: number } | null
  /** For a `projector`, its properties or a fault that completes a sentence about the file. */
  readonly projector?: ProjectorFacts | { readonly fault: string }
}

/** Architectures that only encode. */
const encoders = /^(?:.*bert.*|jina-.*|gemma-embedding|t5encoder|llama-embed)$/
/** Architectures of image models stored as GGUF. */
const pictures = /^(?:sd1|sd2|sd3|sdxl|flux|flux2|aura|lumina2|wan|ltxv|hyvid|hidream|cosmos|qwen_image|z_image|chroma)$/
/** Architectures that generate by diffusion over a whole text. */
const fillers = /^(?:dream|llada|llada-moe|rnd1)$/
/** Meanings of `pooling_type` by number; with `rank` a model scores pairs of texts. */
const poolings = ['none', 'mean', 'cls', 'last', 'rank'] as const

/** Reads the properties of a file of so many bytes from its header; a fault completes a sentence that begins with the file's name. */
export function readWholeFacts(header: GgufHeader, fileBytes: number): GgufFacts | { readonly fault: string } {
  const { promisedBytes } = header
  if (fileBytes < promisedBytes) return { fault: `is cut short: it has ${fileBytes} bytes where its header promises ${promisedBytes}` }
  return readGgufFacts(header) ?? { fault: 'names no architecture in its header' }
}

/** Reads the properties from a header; null if it names no architecture. */
export function readGgufFacts(header: GgufHeader): GgufFacts | null {
  const { values, tensors } = header
  const text = (key: string): string | null => {
    const value = values.get(key)
    return typeof value === 'string' && value !== '' ? value : null
  }
  const count = highest(values.get('split.count')) ?? 0
  const split = count > 1 ? { index: highest(values.get('split.no')) ?? 0, count } : null
  const names = new Set(tensors.map(({ name }) => name))
  // stable-diffusion.cpp writes no metadata.
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

/** Whether an adapter applies from the first token. Activated LoRAs, which wait for certain tokens, do not. */
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

/** The most used storage type; unknown types are named by their number. */
function mostUsed(tensors: readonly GgufTensor[]): string {
  const sizes = new Map<number, number>()
  for (const { type, shape } of tensors) sizes.set(type, (sizes.get(type) ?? 0) + sizeOf(shape))
  const [type] = [...sizes].toSorted(([, a], [, b]) => b - a)[0] ?? []
  return type === undefined ? 'none' : (ggmlTypes.get(type)?.name ?? `type ${type}`)
}

function sizeOf(shape: readonly number[]): number {
  return shape.reduce((product, each) => product * each, 1)
}

/** The number, or the largest of a per-layer list. */
function highest(value: unknown): number | null {
  if (typeof value === 'number') return value
  return Array.isArray(value) && value.length > 0 ? Math.max(...value.map(Number)) : null
}
