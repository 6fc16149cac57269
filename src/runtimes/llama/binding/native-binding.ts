import type { Llama, LlamaModel } from 'node-llama-cpp'

/** Where a decoded token's logits lie, valid until the next decode. */
export type LogitIndex = number

/** The loaded weights and vocabulary, as node-llama-cpp's add-on exposes them. */
export interface NativeModel {
  tokenize(text: string, specialTokens: boolean): Uint32Array
  /** Of these tokens, −1 where the file names none. */
  tokenBos(): number
  tokenEos(): number
  sepToken(): number
  /** The tokens of texts that are to be filled in. */
  prefixToken(): number
  suffixToken(): number
  middleToken(): number
  shouldPrependBosToken(): boolean
  shouldAppendEosToken(): boolean
  getTokenString(token: number): string | undefined
  getTokenAttributes(token: number): number
  isEogToken(token: number): boolean
  getVocabularyType(): number
  getEmbeddingVectorSize(): number
}

/** A token that a file may name; null where it names none. Of −1 the add-on's other methods end the process. */
export function tokenOrNull(token: number): number | null {
  return token < 0 ? null : token
}

export interface NativeSamplerConfig {
  readonly temperature?: number
  readonly topK?: number
  readonly topP?: number
  readonly minP?: number
  readonly seed?: number
  readonly repeatPenalty?: number
  readonly repeatPenaltyMaxTokens?: number
  readonly repeatPenaltyTokens?: Uint32Array
  readonly repeatPenaltyPresencePenalty?: number
  readonly repeatPenaltyFrequencyPenalty?: number
  readonly tokenBiasKeys?: Uint32Array
  readonly tokenBiasValues?: Float32Array
}

/** A llama.cpp sampler chain; it remembers the tokens it drew, and its random state. */
export interface NativeSampler {
  /** Without a temperature the chain is greedy. */
  applyConfig(config: NativeSamplerConfig): void
  dispose(): void
}

/** Selected token, probabilities, confidence, `[token, logit, …]` pairs and Σ exp(logit − highest logit). */
export type SampleDetails = readonly [
  token: number,
  probabilities: readonly number[] | undefined,
  confidence: number | undefined,
  logits: readonly number[] | undefined,
  totalWeight: number | undefined,
]

/** A llama.cpp context: one batch, one key-value cache with a stream per sequence id. */
export interface NativeContext {
  init(): Promise<boolean>
  dispose(): Promise<void>
  initBatch(tokens: number): void
  addToBatch(sequenceId: number, firstPosition: number, tokens: Uint32Array, logitPositions: Uint32Array): Uint32Array
  decodeBatch(): Promise<void>
  /** For the batches to come; not while one is computed. */
  setThreads(threads: number): void
  /** Draws a token; −1 when the sampler left nothing to draw from. */
  sampleToken(index: LogitIndex, sampler: NativeSampler): Promise<number>
  sampleToken(
    index: LogitIndex,
    sampler: NativeSampler,
    probabilities: boolean,
    confidence: boolean,
    logits: readonly [tokens: readonly number[], highest: boolean, lowest: boolean, selected: boolean, top: number],
    totalWeight: boolean,
  ): Promise<SampleDetails>
  disposeSequence(sequenceId: number): void
  /** Forgets positions from `start` up to `end` (−1 = all after); false when the model cannot forget a part. */
  removeTokenCellsFromSequence(sequenceId: number, start: number, end: number): boolean
  copySequenceStateFromOtherSequence(target: number, source: number): Promise<number>
  getEmbedding(tokens: number): Float64Array
  getStateSize(): number
}

export interface NativeContextParameters {
  /** Cells of all sequences together. */
  readonly contextSize: number
  readonly batchSize: number
  readonly sequences: number
  readonly threads: number
  readonly flashAttention: boolean | 'auto'
  readonly swaFullCache: boolean
  readonly embeddings?: boolean
  /** Whether it scores pairs of texts; with `embeddings`. */
  readonly ranking?: boolean
}

/** The part of node-llama-cpp's add-on that the engine drives itself. */
export interface NativeBinding {
  readonly AddonContext: new (model: NativeModel, parameters: NativeContextParameters) => NativeContext
  readonly AddonSampler: new (model: NativeModel) => NativeSampler
}

const contextMethods = [
  'initBatch',
  'addToBatch',
  'decodeBatch',
  'setThreads',
  'sampleToken',
  'disposeSequence',
  'removeTokenCellsFromSequence',
  'copySequenceStateFromOtherSequence',
  'getEmbedding',
]

/**
 * Reaches past node-llama-cpp's public classes to its add-on, and checks that it still has the shape described here.
 *
 * @throws {Error} when another version of node-llama-cpp has another shape.
 */
export function reachNative(llama: Llama, model: LlamaModel): { binding: NativeBinding; model: NativeModel } {
  const binding = (llama as unknown as { _bindings?: NativeBinding })._bindings
  const native = (model as unknown as { _model?: NativeModel })._model
  const missing = contextMethods.filter((name) => typeof binding?.AddonContext?.prototype?.[name] !== 'function')
  if (binding === undefined || native === undefined || missing.length > 0)
    throw new Error(
      `This version of node-llama-cpp does not have the add-on we drive; missing: ${missing.join(', ') || 'the add-on itself'}.`,
    )
  return { binding, model: native }
}
