import koffi from 'koffi'
import type { CacheType } from '../../../core/gguf/context-length.ts'
import { runApart, runHere } from './llama-functions.ts'
import { type ContextParams, cacheTypeNumbers, type Pointer, rankPooling, tensorBytes } from './llama-layout.ts'
import type { LlamaLibrary } from './llama-library.ts'
import { NativeBatch, type Rows } from './native-batch.ts'
import type { NativeModel } from './native-model.ts'
import type { NativeSampler } from './native-sampler.ts'
import type { ThreadPool } from './thread-pool.ts'

/** Position of a decoded token's logits, valid until the next decode. */
export type LogitIndex = number

/** Draws tokens from logits. */
export type TokenSampler = Pick<NativeSampler, 'draw'>

/** A loaded adapter, and how strongly it counts. */
export interface ScaledAdapter {
  readonly pointer: Pointer
  readonly scale: number
}

/** A llama.cpp context: one batch, one key-value cache with a stream per sequence id. */
export interface DecodingContext {
  /** Applies adapters from the next batch on; must not be called during a batch. */
  useAdapters(adapters: readonly ScaledAdapter[]): void
  initBatch(): void
  /** @param wanted Places among `tokens` whose logits are wanted, ascending; returns where they will be. */
  addToBatch(sequence: number, firstPosition: number, tokens: Uint32Array, wanted: Uint32Array): Uint32Array
  /**
   * Fills the batch with vectors of one sequence only.
   *
   * @param options.seesAround Whether each row attends to all others.
   * @param options.wanted Whether the logits after the last row are needed; returns their index.
   */
  fillBatchWithRows(sequence: number, rows: Rows, options: { readonly seesAround: boolean; readonly wanted: boolean }): LogitIndex
  /**
   * @param threads Number of threads.
   * @param options.here Whether the caller's thread is one of them, and draws; otherwise one of libuv's.
   * @returns false if it was stopped; the cells it wrote are then unknown.
   */
  decodeBatch(threads: number, options?: { readonly here?: boolean }): Promise<boolean>
  /** Ends the batch that is computed within an operation of its graph, where the processor computes it. */
  stopBatch(): void
  /** Draws a token; −1 when the sampler left nothing to draw from. */
  sampleToken(index: LogitIndex, sampler: TokenSampler): Promise<number>
  /** The model's output for a token, in native memory until the next decode. */
  logits(index: LogitIndex): Float32Array
  disposeSequence(sequence: number): void
  /** Forgets positions from `start` up to `end` (−1 = all after); false when the model cannot forget a part. */
  removeTokenCellsFromSequence(sequence: number, start: number, end: number): boolean
  copySequence(target: number, source: number): Promise<void>
}

export interface ContextShape {
  /** Cells of all sequences together. */
  readonly contextSize: number
  readonly batchSize: number
  readonly sequences: number
  /** Storage type of keys and values; default 16 bits. */
  readonly cacheType?: CacheType
  readonly swaFullCache: boolean
  /** Output for texts: logits, vectors, or scores of pairs. */
  readonly makes: 'logits' | 'vectors' | 'scores'
}

interface ContextParts {
  readonly pool: ThreadPool
  /** Whether native work runs one after the other, in the order in which it was queued. */
  readonly inOrder: boolean
  readonly batchSize: number
  /** Cells per sequence. */
  readonly cells: number
  /** Checked by llama.cpp before each operation of a batch, which continues while it is not zero. */
  readonly life: Pointer
}

const alive = 1
/** From this share of a stream on, it is copied as a whole: of 1 024 cells 128 took 3 ms by their state and 2 to 8 as a stream, 512 took 13 and 4. */
const wholeShare = 0.25
/** Result of `llama_decode` when aborted by the callback. */
const stopped = 2

/** @throws {Error} from `decodeBatch` when a batch could not be computed. */
export class NativeContext implements DecodingContext, AsyncDisposable {
  readonly #library: LlamaLibrary
  readonly #model: NativeModel
  readonly #pointer: Pointer
  readonly #memory: Pointer
  readonly #pool: ThreadPool
  readonly #inOrder: boolean
  readonly #batch: NativeBatch
  readonly #life: Pointer
  readonly #alive: Uint8Array
  /** Cells per sequence. */
  readonly #cells: number
  /** Whether streams are to be copied before the next batch. */
  #copies = false
  #threads = 0
  /** Where tokens are drawn: on the thread of the batch until it is done, afterwards on the caller's too, where a single other one computes. */
  #run = runApart
  /** Whether attention is causal: currently in the context, and for the next batch. */
  #isCausal = true
  #readsForward = true
  #attached: Pointer | null = null

  constructor(model: NativeModel, pointer: Pointer, { pool, inOrder, life, cells, batchSize }: ContextParts) {
    this.#library = model.library
    this.#model = model
    this.#pointer = pointer
    this.#memory = model.library.functions.llama_get_memory(pointer)
    this.#pool = pool
    this.#inOrder = inOrder
    this.#batch = new NativeBatch(batchSize)
    this.#life = life
    this.#cells = cells
    this.#alive = new Uint8Array(koffi.view(life, tensorBytes))
  }

  /** null = the memory does not suffice. */
  static async open(
    model: NativeModel,
    shape: ContextShape,
    { pool, inOrder = false }: { readonly pool: ThreadPool; readonly inOrder?: boolean | undefined },
  ): Promise<NativeContext | null> {
    const { functions } = model.library
    const cells = shape.contextSize / shape.sequences
    const life = koffi.alloc('uint8_t', tensorBytes) as Pointer
    const params: ContextParams = {
      ...functions.llama_context_default_params(),
      n_ctx: shape.contextSize,
      n_batch: shape.batchSize,
      n_ubatch: shape.batchSize,
      n_seq_max: shape.sequences,
      n_threads: pool.count,
      n_threads_batch: pool.count,
      swa_full: shape.swaFullCache,
      type_k: cacheTypeNumbers[shape.cacheType ?? 'f16'],
      type_v: cacheTypeNumbers[shape.cacheType ?? 'f16'],
      embeddings: shape.makes !== 'logits',
      abort_callback: model.library.isEmpty,
      abort_callback_data: life,
      ...(shape.makes === 'scores' && { pooling_type: rankPooling }),
    }
    const pointer = await runApart(functions.llama_init_from_model, model.pointer, params)
    if (pointer !== null) return new NativeContext(model, pointer, { pool, inOrder, life, cells, batchSize: shape.batchSize })
    koffi.free(life)
    return null
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await runApart(this.#library.functions.llama_free, this.#pointer)
    this.#batch[Symbol.dispose]()
    koffi.free(this.#life)
  }

  useAdapters(adapters: readonly ScaledAdapter[]): void {
    const pointers = BigUint64Array.from(adapters, ({ pointer }) => koffi.address(pointer))
    const scales = Float32Array.from(adapters, ({ scale }) => scale)
    this.#library.functions.llama_set_adapters_lora(this.#pointer, pointers, adapters.length, scales)
  }

  initBatch(): void {
    this.#batch.clear()
    this.#readsForward = true
  }

  fillBatchWithRows(
    sequence: number,
    rows: Rows,
    { seesAround, wanted }: { readonly seesAround: boolean; readonly wanted: boolean },
  ): LogitIndex {
    this.#readsForward = !seesAround
    return this.#batch.fillWithRows(sequence, rows, wanted)
  }

  addToBatch(sequence: number, firstPosition: number, tokens: Uint32Array, wanted: Uint32Array): Uint32Array {
    const places = new Uint32Array(wanted.length)
    let found = 0
    for (let index = 0; index < tokens.length; index++) {
      const isWanted = wanted[found] === index
      const place = this.#batch.add(tokens[index] ?? 0, firstPosition + index, sequence, isWanted)
      if (isWanted) places[found++] = place
    }
    return places
  }

  async decodeBatch(threads: number, { here = false }: { readonly here?: boolean } = {}): Promise<boolean> {
    const run = here ? runHere : runApart
    this.#run = run
    const { llama_decode, llama_get_logits, llama_set_causal_attn } = this.#library.functions
    this.#computeWith(threads)
    if (this.#readsForward !== this.#isCausal) llama_set_causal_attn(this.#pointer, this.#readsForward)
    this.#isCausal = this.#readsForward
    this.#alive.fill(alive)
    this.#copies = false
    const decoded = run(llama_decode, this.#pointer, this.#batch.value)
    if (!this.#inOrder) await decoded
    // It waits for a GPU, and puts the logits in order: draws that run side by side must find them so.
    const [result] = await Promise.all([decoded, run(llama_get_logits, this.#pointer)])
    if (this.#inOrder) this.#run = runHere
    if (result === stopped) return false
    if (result === 1) throw new Error('llama.cpp found no cells for the batch.')
    if (result !== 0) throw new Error(`llama.cpp could not compute the batch (${result}).`)
    return true
  }

  stopBatch(): void {
    this.#alive.fill(0)
  }

  sampleToken(index: LogitIndex, sampler: TokenSampler): Promise<number> {
    return sampler.draw(this.#pointer, index, this.#run)
  }

  logits(index: LogitIndex): Float32Array {
    return this.#view(this.#library.functions.llama_get_logits_ith(this.#pointer, index), this.#model.vocabularySize)
  }

  /** The model's output for the last text: its vector or scores. */
  embedding(): Float64Array {
    const { llama_pooling_type, llama_get_embeddings_seq, llama_get_embeddings_ith } = this.#library.functions
    const pooling = llama_pooling_type(this.#pointer)
    const length = pooling === rankPooling ? this.#model.scoreCount : this.#model.vectorLength
    const ofText = pooling === 0 ? null : llama_get_embeddings_seq(this.#pointer, 0)
    return Float64Array.from(this.#view(ofText ?? llama_get_embeddings_ith(this.#pointer, -1), length))
  }

  disposeSequence(sequence: number): void {
    this.#library.functions.llama_memory_seq_rm(this.#memory, sequence, -1, -1)
  }

  removeTokenCellsFromSequence(sequence: number, start: number, end: number): boolean {
    return this.#library.functions.llama_memory_seq_rm(this.#memory, sequence, start, end)
  }

  /**
   * Copies a sequence. llama.cpp copies the whole stream of a sequence before the next batch, while copying the used state through memory
   * happens at once. The latter must not come between the former and its batch.
   */
  async copySequence(target: number, source: number): Promise<void> {
    const { llama_memory_seq_cp, llama_memory_seq_pos_max, llama_state_seq_get_size, llama_state_seq_get_data, llama_state_seq_set_data } =
      this.#library.functions
    const used = llama_memory_seq_pos_max(this.#memory, source) + 1
    // The state of an empty sequence would leave what the target holds.
    if (used === 0) return this.disposeSequence(target)
    if (this.#copies || used >= this.#cells * wholeShare) {
      this.#copies = true
      llama_memory_seq_cp(this.#memory, source, target, -1, -1)
      return
    }
    const bytes = Number(llama_state_seq_get_size(this.#pointer, source))
    const state = new Uint8Array(bytes)
    await runApart(llama_state_seq_get_data, this.#pointer, state, bytes, source)
    await runApart(llama_state_seq_set_data, this.#pointer, state, bytes, target)
  }

  #computeWith(threads: number): void {
    const { llama_set_n_threads, llama_attach_threadpool } = this.#library.functions
    // Without it, one thread's batches would keep the pool's others polling; the next batch pauses a pool that was attached before.
    const pool = this.#pool.pointer(threads)
    if (pool !== this.#attached) llama_attach_threadpool(this.#pointer, pool, pool)
    if (threads !== this.#threads) llama_set_n_threads(this.#pointer, threads, threads)
    this.#attached = pool
    this.#threads = threads
  }

  #view(pointer: Pointer | null, length: number): Float32Array {
    if (pointer === null) throw new Error('llama.cpp computed nothing here.')
    return new Float32Array(koffi.view(pointer, length * 4))
  }
}
