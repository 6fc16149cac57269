import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { platform } from 'node:process'
import type { ComputeDevice, DeviceChoice } from '../../../core/compute-device.ts'
import { ServiceError } from '../../../core/error.ts'
import { type GgufFacts, readWholeFacts } from '../../../core/gguf/gguf-facts.ts'
import { type GgufHeader, readGgufHeader } from '../../../core/gguf/gguf-header.ts'
import { processorMemory } from './cache-memory.ts'
import { findCuts, type TextCuts } from './cut-text.ts'
import type { LlamaLibrary } from './llama-library.ts'
import { NativeModel } from './native-model.ts'
import { openLlama } from './open-llama.ts'
import { findSpelling, type Spelling } from './token-piece.ts'
import { findVocabularyFault, tokenTypesKey, vocabularyLists } from './vocabulary-fault.ts'

/** A GGUF file in memory. */
export interface ModelFile extends AsyncDisposable, Pick<GgufFacts, 'cacheBytesPerToken' | 'pooling' | 'quantization' | 'readsForward'> {
  readonly device: ComputeDevice
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
  takenOfGpu(): number
}

/** Format of the text pairs that a reranker scores, and of its scores. */
export interface RankingFacts {
  /** Text with `{query}` and `{document}`; null = it has none. */
  readonly template: string | null
  /** Whether a separator token is placed between the two texts. */
  readonly addsSeparator: boolean
  /** Whether its scores are shares of one, not logits. */
  readonly answersShares: boolean
}

/** Of a character in JavaScript's sense, in UTF-8. */
const bytesPerCharacter = 3

export interface ModelFileOptions extends Partial<DeviceChoice> {
  /** Tokens of all sequences together that a GPU's memory must hold beside the layers it takes; default 4 096. */
  readonly cachedTokens?: number
  /** Memory limit for all models together; default the machine's memory. */
  readonly memoryBytes?: number
  /** Whether the weights stay in their file, so that what is written to it changes them; default where {@link chooseLoadMode} says so. */
  readonly mapsWeights?: boolean
  /** Called with the share of the file that has been read, 0 to 1. */
  readonly onProgress?: (part: number) => void
  readonly signal: AbortSignal
}

/** @throws {ServiceError} `inference_failed` when llama.cpp cannot read the file, or has no device for the requested GPU. */
export async function openModelFile(
  path: string,
  { gpu = 'off', gpuDevice = null, cachedTokens = 4096, memoryBytes, mapsWeights = false, onProgress = () => {}, signal }: ModelFileOptions,
): Promise<ModelFile> {
  const { library, device } = await openLlama({ gpu, gpuDevice })
  signal.throwIfAborted()
  const facts = await readOwnFacts(path).catch((cause) => rejectFile(path, null, signal, cause))
  // A failed assertion in llama.cpp would end the process and all its requests.
  if ('fault' in facts)
    throw new ServiceError('inference_failed', `The model cannot be used: ${basename(path)} ${facts.fault}.`, { param: 'model' })
  if (facts.vocabularyFault !== null) throw rejectVocabulary(path, facts.vocabularyFault)
  const onProcessor = device.backend === 'cpu'
  const layers = facts.layers + 1 // the one that makes logits
  const before = freeBytes(library)
  const wanted = onProcessor ? 0 : chooseGpuLayers(facts, { layers, freeBytes: before, cachedTokens })
  const machine = { memory: processorMemory(memoryBytes), largePages: platform === 'linux' }
  const loadMode = !onProcessor ? 'automatic' : mapsWeights ? 'mapped' : chooseLoadMode(facts, machine)
  const { native, gpuLayers } = await loadWithLayers(library, path, { facts, gpuLayers: wanted, loadMode, onProgress, signal })
  const tokens = Array.from({ length: native.vocabularySize }, (_, token) => native.tokenText(token))
  const spelling = findSpelling(native.vocabularyType, readTokenizer(native))
  return {
    device,
    native,
    chatTemplate: native.metadata('tokenizer.chat_template'),
    ranking: readRanking(native, facts),
    vocabularySize: native.vocabularySize,
    longestToken: bytesPerCharacter * tokens.reduce((longest, { length }) => Math.max(longest, length), 1),
    spelling,
    cuts: findCuts({
      type: native.vocabularyType,
      tokens,
      spelling,
      tokenTypes: readTokenTypes(facts),
      addsSpace: native.metadata('tokenizer.ggml.add_space_prefix') !== 'false',
      pattern: readTokenizer(native).pre,
    }),
    trainContextLength: native.trainContextLength,
    bytes: native.bytes,
    hasWideVectors: /\bAVX512 = 1\b/.test(library.functions.llama_print_system_info()),
    cacheBytesPerToken: facts.cacheBytesPerToken,
    pooling: facts.pooling,
    quantization: facts.quantization,
    readsForward: facts.readsForward,
    gpuLayers,
    layers,
    gpuMemory: gpuLayers === 0 ? null : freeBytes(library),
    takenOfGpu: () => Math.max(0, before - freeBytes(library)),
    [Symbol.asyncDispose]: () => native[Symbol.asyncDispose](),
  }
}

/** Of all GPUs. */
function freeBytes(library: LlamaLibrary): number {
  return library.gpus().reduce((sum, gpu) => sum + gpu.freeBytes, 0)
}

interface LoadWishes extends Pick<Required<ModelFileOptions>, 'onProgress' | 'signal'> {
  readonly facts: OwnFacts
  readonly gpuLayers: number
  readonly loadMode: 'automatic' | 'copied' | 'mapped'
}

/** Loads a file with so many layers on the GPU, or with fewer where its driver reports more memory than it gives. */
async function loadWithLayers(
  library: LlamaLibrary,
  path: string,
  { facts, onProgress, signal, ...wishes }: LoadWishes,
): Promise<{ readonly native: NativeModel; readonly gpuLayers: number }> {
  return library.listening(async (errors) => {
    for (let { gpuLayers } = wishes; ; gpuLayers = Math.floor(gpuLayers * 0.7)) {
      const native = await NativeModel.load(library, path, { ...wishes, gpuLayers, onProgress, signal })
      if (native !== null) return { native, gpuLayers }
      if (gpuLayers === 0 || signal.aborted) rejectFile(path, facts, signal, new Error(errors.join(' ')))
    }
  })
}

function readTokenizer(native: NativeModel): { readonly model: string; readonly pre?: string } {
  const [model, pre] = [native.metadata('tokenizer.ggml.model') ?? '', native.metadata('tokenizer.ggml.pre')]
  return { model, ...(pre !== null && { pre }) }
}

/** Type of each token; undefined = not in the file. */
function readTokenTypes({ header }: OwnFacts): readonly number[] | undefined {
  const types = header.values.get(tokenTypesKey)
  return Array.isArray(types) ? types.map(Number) : undefined
}

/** If the file does not state whether it adds a separator, the tokenizer decides, as in llama.cpp (`llama-vocab.cpp`). */
function readRanking(native: NativeModel, { architecture }: OwnFacts): RankingFacts {
  const { model, pre } = readTokenizer(native)
  const stated = native.metadata('tokenizer.ggml.add_sep_token')
  return {
    template: native.metadata('tokenizer.chat_template.rerank'),
    addsSeparator: stated === null ? model === 'bert' || /^(?:jina-v1-en|jina-v2-code|roberta-bpe)$/.test(pre ?? '') : stated === 'true',
    answersShares: /^qwen3(?:vl)?$/.test(architecture),
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

/** Share of a GPU's free memory that layers and their caches may take; the rest is for what a batch computes, beside its logits. */
const usableShare = 0.9
/** Bytes of the logits of a batch per vocabulary entry: 512 tokens at 32 bits. */
const batchBytesPerWord = 512 * 4

/** Number of layers that fit into a GPU's free memory with their share of the caches, 0 to `layers`. */
export function chooseGpuLayers(
  facts: SizedFacts & Pick<OwnFacts, 'cacheBytesPerToken' | 'vocabularySize'>,
  { layers, freeBytes, cachedTokens }: { readonly layers: number; readonly freeBytes: number; readonly cachedTokens: number },
): number {
  const layerBytes = (fileBytes(facts) + cachedTokens * facts.cacheBytesPerToken) / layers
  const usable = freeBytes * usableShare - facts.vocabularySize * batchBytesPerWord
  return Math.max(0, Math.min(layers, Math.floor(usable / layerBytes)))
}

/** Types of which llama.cpp keeps a copy in the order that the processor's instructions want: mapped, the file would stay beside it. */
const repacked = /^(?:Q4_0|Q4_K|IQ4_NL|Q2_K|Q8_0)$/
/**
 * Largest share of the memory for models that weights may take and still be read. Together with their caches, which take at most half of the
 * rest, they leave a quarter of it; and what is read cannot be given back when memory is short.
 */
const readShare = 0.5

/**
 * How weights for the processor get into memory: `copied` = they are read, on Linux into pages of 2 MiB; a mapped file has pages of 4 KiB.
 *
 * @param machine.memory Bytes that all models together may take.
 * @param machine.largePages Whether memory that is read into gets large pages.
 */
export function chooseLoadMode(
  facts: SizedFacts & Pick<OwnFacts, 'quantization'>,
  { memory, largePages }: { readonly memory: number; readonly largePages: boolean },
): 'copied' | 'mapped' {
  if (repacked.test(facts.quantization)) return 'copied'
  return largePages && fileBytes(facts) <= memory * readShare ? 'copied' : 'mapped'
}

type SizedFacts = Pick<OwnFacts, 'split'> & { readonly header: Pick<OwnFacts['header'], 'promisedBytes'> }

/** Of all parts; the first one stands for the others. */
function fileBytes({ header, split }: SizedFacts): number {
  return header.promisedBytes * (split?.count ?? 1)
}

/** Properties from a GGUF file's header, and the header itself. */
export interface OwnFacts extends GgufFacts {
  readonly vocabularyFault: string | null
  readonly header: GgufHeader
}

/** Reads the header of a GGUF file; a fault completes a sentence that begins with the file's name. */
async function readOwnFacts(path: string): Promise<OwnFacts | { readonly fault: string }> {
  await using file = await open(path)
  const read = async (position: number, bytes: number) => {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(bytes), 0, bytes, position)
    return buffer.subarray(0, bytesRead)
  }
  const header = await readGgufHeader(read, { lists: vocabularyLists })
  if ('fault' in header) return header
  // Reading mapped bytes beyond the end of the file would end the process.
  const facts = readWholeFacts(header, (await file.stat()).size)
  return 'fault' in facts ? facts : { ...facts, header, vocabularyFault: findVocabularyFault(header) }
}
