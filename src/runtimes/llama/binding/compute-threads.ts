import type { NativeContext } from './native-binding.ts'

/** Threads that a model may compute with at the moment; every batch begins with as many as it is then. */
export interface AllowedThreads {
  count: number
}

/** Weights that a thread must have to read, or it costs more to start than it brings: half a millisecond's worth. */
const bytesPerThread = 8e6
/** A batch of so many tokens takes about twice as long as one of a single token; from there on, time grows with tokens. */
const tokensPerReading = 16

/** The threads of a model's batches: llama.cpp starts them anew for each. */
export class ComputeThreads {
  readonly allowed: AllowedThreads
  readonly #bytes: number

  /** @param bytes Of the weights. */
  constructor(allowed: AllowedThreads, bytes: number) {
    this.allowed = allowed
    this.#bytes = bytes
  }

  /** Evaluates the batch of a context. Batches of one size always have the same threads, on which the last digits of a text's attention depend. */
  decode(context: NativeContext, tokens: number): Promise<void> {
    const worthwhile = Math.floor((this.#bytes * Math.max(1, tokens / tokensPerReading)) / bytesPerThread)
    context.setThreads(Math.max(1, Math.min(this.allowed.count, worthwhile)))
    return context.decodeBatch()
  }
}
