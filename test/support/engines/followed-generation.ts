import { noAdapters } from '../../../src/runtimes/llama/batch/adapter-set.ts'
import { DecodeLoop } from '../../../src/runtimes/llama/batch/decode-loop.ts'
import type { Generation } from '../../../src/runtimes/llama/batch/generation.ts'
import { SequenceTable } from '../../../src/runtimes/llama/batch/sequence-table.ts'
import { ComputeThreads } from '../../../src/runtimes/llama/binding/compute-threads.ts'
import { CountingContext } from '../../../src/runtimes/llama/binding/counting-context.ts'
import type { TokenSampler } from '../../../src/runtimes/llama/binding/native-context.ts'
import type { Guesser } from '../../../src/runtimes/llama/speculation/guesser.ts'
import { Speculation } from '../../../src/runtimes/llama/speculation/speculation.ts'

/** The token that ends the answers of tests. */
const endToken = 0

const sampler: TokenSampler = { draw: async () => 0 }

/** A generation for tests of the loop that records every call; resolves when it is released. */
export function follow(
  prompt: readonly number[],
  changes: Partial<Generation> = {},
): { generation: Generation; log: string[]; released: Promise<void> } {
  const log: string[] = []
  const { promise: released, resolve } = Promise.withResolvers<void>()
  const generation: Generation = {
    account: 'a',
    adapters: noAdapters,
    prompt: Uint32Array.from(prompt),
    pictures: [],
    limit: 3,
    isEnd: (token) => token === endToken,
    draw: (context, index) => context.sampleToken(index, sampler),
    drawsAhead: true,
    topLogprobs: null,
    onPromptToken: null,
    onPrompt: (cached) => log.push(`prompt ${cached}`),
    onToken: (token) => log.push(String(token)) > 0,
    onEnd: (end) => log.push(end),
    onFailure: (error) => log.push(error.message),
    onRelease: resolve,
    ...changes,
  }
  return { generation, log, released }
}

/** A loop for tests, on a context without a model. */
export function start(
  sequences: number,
  {
    context = new CountingContext(),
    guesser = null,
    inOrder = false,
    batchMs = 1,
    threads = new ComputeThreads({ count: 1 }, 1e9),
  }: { context?: CountingContext; guesser?: Guesser | null; inOrder?: boolean; batchMs?: number; threads?: ComputeThreads } = {},
): { loop: DecodeLoop; context: CountingContext } {
  let clock = 0
  const parts = {
    now: () => (clock += batchMs), // every batch takes as long as any other
    context,
    table: new SequenceTable(context, sequences),
    speculation: guesser === null ? null : new Speculation(guesser),
    leftOver: 1.6,
    inOrder,
    threads,
  }
  return { loop: new DecodeLoop(parts, { promptTokens: 512, movePatience: 1 }), context }
}

/** A test context whose batches block until released, and which records calls. */
export class SlowContext extends CountingContext {
  readonly requested: string[] = []
  readonly #open = Promise.withResolvers<void>()

  override async decodeBatch(threads: number): Promise<boolean> {
    this.requested.push('decode')
    await this.#open.promise
    return await super.decodeBatch(threads)
  }
  override sampleToken(index: number): Promise<number> {
    this.requested.push('draw')
    return super.sampleToken(index)
  }
  /** Ends this batch and all after it. */
  finishBatches(): void {
    this.#open.resolve()
  }
}
