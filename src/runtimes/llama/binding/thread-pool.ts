import { availableParallelism } from 'node:os'
import koffi from 'koffi'
import type { NativeCall } from './llama-functions.ts'
import './llama-layout.ts' // defines the struct
import type { Pointer } from './llama-layout.ts'
import type { LlamaLibrary } from './llama-library.ts'

interface ThreadPoolParams {
  readonly cpumask: readonly boolean[]
  readonly n_threads: number
  readonly prio: number
  readonly poll: number
  readonly strict_cpu: boolean
  readonly paused: boolean
}

const create = koffi.proto('void *ggml_threadpool_new(ggml_threadpool_params *params)')
const free = koffi.proto('void ggml_threadpool_free(void *pool)')
/** Polling level of threads that wait for the next batch, 0 to 100 (`poll`): llama.cpp's default, a tenth of a second; and none. */
const [patient, impatient] = [50, 0]
/** Weights whose batches take so long that waking a thread for each costs little. */
const slowBytes = 5e7
const everyCore = Array.from({ length: 512 }, () => false)

/**
 * The threads that a model and what guesses for it compute with, one batch at a time. They live as long as the pool: to start them with each batch takes as
 * long as a small model's whole step.
 */
export class ThreadPool implements Disposable {
  /** Threads that the next batch may have. */
  count: number
  readonly #create: NativeCall<[params: ThreadPoolParams], Pointer> | null
  readonly #free: NativeCall<[pool: Pointer], undefined> | null
  readonly #bytes: number
  readonly #pools: { readonly pointer: Pointer; readonly threads: number }[] = []

  /** @param bytes Of the weights that it computes with; 0 = unknown. */
  constructor({ processorFunction }: Pick<LlamaLibrary, 'processorFunction'>, count: number, bytes = 0) {
    this.count = count
    this.#bytes = bytes
    const [created, freed] = [processorFunction('ggml_threadpool_new'), processorFunction('ggml_threadpool_free')]
    this.#create = created === null ? null : koffi.decode(created, create)
    this.#free = freed === null ? null : koffi.decode(freed, free)
  }

  /** A pool with at least that many threads; null = the caller's thread suffices. */
  pointer(threads: number): Pointer | null {
    if (threads < 2 || this.#create === null) return null
    const largest = this.#pools.at(-1)
    if (largest !== undefined && largest.threads >= threads) return largest.pointer
    const poll = choosePatience({ threads, cores: availableParallelism(), bytes: this.#bytes })
    const shape = { cpumask: everyCore, n_threads: threads, prio: 0, poll, strict_cpu: false, paused: false }
    const pointer = this.#create(shape)
    this.#pools.push({ pointer, threads }) // a smaller one stays: contexts that computed with it pause it when they change
    return pointer
  }

  /** After the contexts that computed with it. */
  [Symbol.dispose](): void {
    for (const { pointer } of this.#pools) this.#free?.(pointer)
  }
}

/**
 * Polling level of a pool's threads between batches. On every core they keep the threads that hand out tokens from running, so that a token takes less
 * processor time without polling. A small model's batch is over before its threads are awake.
 */
export function choosePatience({
  threads,
  cores,
  bytes,
}: {
  readonly threads: number
  readonly cores: number
  readonly bytes: number
}): number {
  return threads >= cores && bytes >= slowBytes ? impatient : patient
}
