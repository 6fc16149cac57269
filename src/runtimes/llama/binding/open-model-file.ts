import type { LlamaModel } from 'node-llama-cpp'
import type { ComputeDevice, DeviceChoice } from '../../../core/compute-device.ts'
import { ServiceError } from '../../../core/error.ts'
import type { GgufFacts } from '../../../core/gguf/gguf-facts.ts'
import { findCuts, type TextCuts } from './cut-text.ts'
import { type NativeBinding, type NativeModel, reachNative } from './native-binding.ts'
import { openLlama } from './open-llama.ts'
import { readOwnFacts } from './read-own-facts.ts'
import { findSpelling, type Spelling } from './token-piece.ts'

/** A GGUF file in memory. */
export interface ModelFile extends AsyncDisposable, Pick<GgufFacts, 'cacheBytesPerToken' | 'pooling' | 'readsForward'> {
  readonly device: ComputeDevice
  readonly binding: NativeBinding
  readonly native: NativeModel
  readonly chatTemplate: string | null
  readonly ranking: RankingFacts
  readonly vocabularySize: number
  /** Bytes that one token spells, at most. */
  readonly longestToken: number
  readonly trainContextLength: number
  readonly cuts: TextCuts
  readonly spelling: Spelling
  /** Bytes of the weights. */
  readonly bytes: number
  /** Whether the processor has AVX-512, and these kernels use it. */
  readonly hasWideVectors: boolean
  /** Layers that the GPU computes, of `layers`. */
  readonly gpuLayers: number
  readonly layers: number
  /** Free bytes of the GPU's memory beside the weights; null = every layer is on the processor. */
  readonly gpuMemory: number | null
  /** Bytes that the GPU's free memory has shrunk by since before the weights were loaded. */
  takenOfGpu(): Promise<number>
}

/** How the file wants pairs of texts put, of which it makes scores. */
export interface RankingFacts {
  /** Text with `{query}` and `{document}`; null = it has none. */
  readonly template: string | null
  /** Whether a separator stands between the two. */
  readonly addsSeparator: boolean
  /** Whether its scores are shares of one, not logits. */
  readonly answersShares: boolean
}

const repacked = /^(?:Q4_0|Q4_K|IQ4_NL|Q2_K|Q8_0)$/
/** Of a character in JavaScript's sense, in UTF-8. */
const bytesPerCharacter = 3

export interface ModelFileOptions extends Partial<DeviceChoice> {
  readonly threads: number
  /** Tokens of all sequences together that a GPU's memory must hold beside the layers it takes; default 4 096. */
  readonly cachedTokens?: number
  /** Hears how much of the file has been read, 0 to 1. */
  readonly onProgress?: (part: number) => void
  readonly signal: AbortSignal
}

/** @throws {ServiceError} `inference_failed` when llama.cpp cannot read the file, or has no device for the GPU asked for. */
export async function openModelFile(
  path: string,
  { threads, gpu = 'off', gpuDevice = null, cachedTokens = 4096, onProgress, signal }: ModelFileOptions,
): Promise<ModelFile> {
  await using opened = new AsyncDisposableStack()
  const { llama, device } = opened.use(await openLlama({ threads, gpu, gpuDevice }))
  signal.throwIfAborted()
  const facts = await readOwnFacts(path).catch((cause) => rejectFile(path, null, signal, cause))
  // What llama.cpp asserts of a file ends the process, with whatever else it does.
  if (facts === null) rejectFile(path, null, signal, undefined)
  if (facts.vocabularyFault !== null) throw rejectVocabulary(path, facts.vocabularyFault)
  // Layers that do not fit beside the caches stay on the processor, by the free memory that the driver reports.
  const gpuLayers = device.backend === 'cpu' ? 0 : { fitContext: { contextSize: cachedTokens } }
  // Of some types llama.cpp keeps a copy in the order that the processor's instructions want: mapped, the file would stay beside it.
  const useMmap = device.backend === 'cpu' && repacked.test(facts.quantization) ? false : 'auto'
  const before = device.backend === 'cpu' ? 0 : (await llama.getVramState()).free
  const model = opened.use(
    await llama
      .loadModel({ modelPath: path, gpuLayers, useMmap, loadSignal: signal, ...(onProgress && { onLoadProgress: onProgress }) })
      .catch((cause) => rejectFile(path, facts, signal, cause)),
  )
  const gpuMemory = model.gpuLayers === 0 ? null : (await llama.getVramState()).free
  const { binding, model: native } = reachNative(llama, model)
  const { tokenizer } = model.fileInfo.metadata
  const type = native.getVocabularyType()
  const spelling = findSpelling(type, tokenizer.ggml)
  const resources = opened.move()
  return {
    device,
    binding,
    native,
    chatTemplate: tokenizer.chat_template ?? null,
    ranking: readRanking(model.fileInfo.metadata),
    vocabularySize: tokenizer.ggml.tokens.length,
    longestToken: bytesPerCharacter * tokenizer.ggml.tokens.reduce((longest, { length }) => Math.max(longest, length), 1),
    spelling,
    cuts: findCuts({
      type,
      tokens: tokenizer.ggml.tokens,
      spelling,
      tokenTypes: tokenizer.ggml.token_type,
      addsSpace: tokenizer.ggml.add_space_prefix ?? true,
      pattern: tokenizer.ggml.pre,
    }),
    trainContextLength: model.trainContextSize,
    bytes: model.size,
    hasWideVectors: /\bAVX512 = 1\b/.test(llama.systemInfo),
    cacheBytesPerToken: facts.cacheBytesPerToken,
    pooling: facts.pooling,
    readsForward: facts.readsForward,
    gpuLayers: model.gpuLayers,
    layers: model.fileInsights.totalLayers,
    gpuMemory,
    takenOfGpu: async () => Math.max(0, before - (await llama.getVramState()).free),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** Where a file does not say whether it adds a separator, llama.cpp does so by the kind of its tokenizer (`llama-vocab.cpp`). */
function readRanking({ general, tokenizer }: LlamaModel['fileInfo']['metadata']): RankingFacts {
  const ggml: { readonly model: string; readonly pre?: string; readonly add_sep_token?: boolean } = tokenizer.ggml
  const { model, pre, add_sep_token: told } = ggml
  return {
    template: tokenizer['chat_template.rerank'] ?? null,
    addsSeparator: told ?? (model === 'bert' || /^(?:jina-v1-en|jina-v2-code|roberta-bpe)$/.test(pre ?? '')),
    answersShares: /^qwen3(?:vl)?$/.test(general.architecture),
  }
}

function rejectVocabulary(path: string, fault: string): ServiceError {
  return new ServiceError(
    'inference_failed',
    `The vocabulary of ${path} ${fault}; convert the model again with a current llama.cpp, or choose another one.`,
    { param: 'model' },
  )
}

function rejectFile(path: string, facts: GgufFacts | null, signal: AbortSignal, cause: unknown): never {
  signal.throwIfAborted()
  const kind =
    facts === null
      ? 'a known architecture'
      : `an architecture and quantization it knows (this one: ${facts.architecture}, ${facts.quantization})`
  throw new ServiceError('inference_failed', `llama.cpp cannot read ${path}; check that it is a complete GGUF file of ${kind}.`, { cause })
}
