import { ServiceError } from '../../core/error.ts'
import { BatchPace } from './batch-pace.ts'
import { type Draw, drawToken } from './draw-token.ts'
import type { Generation } from './generation.ts'
import type { NativeContext } from './native-binding.ts'
import { type BatchEntry, planBatch } from './plan-batch.ts'
import { type Delivery, handOut, type RunningGeneration } from './running-generation.ts'
import type { SequenceTable } from './sequence-table.ts'

export interface DecodeLimits {
  /** Prompt tokens per batch, however fast the model is. */
  readonly promptTokens: number
  /** Batches after which moving a sequence next to the others has paid for itself. */
  readonly movePatience: number
}

/**
 * Evaluates all running generations in lock step: one batch, one token each, then the next. Generations join and leave
 * between batches; while a batch is computed, the tokens of the one before are handed out.
 */
export class DecodeLoop implements AsyncDisposable {
  readonly #context: NativeContext
  readonly #table: SequenceTable
  readonly #limits: DecodeLimits
  readonly #pace: BatchPace
  readonly #isEnd: (token: number) => boolean
  #waiting: Generation[] = []
  #running: RunningGeneration[] = []
  #undelivered: readonly Delivery[] = []
  readonly #cancelled = new WeakSet<Generation>()
  #loop: Promise<void> | null = null
  #arrivals = 0
  #disposed = false

  constructor(context: NativeContext, table: SequenceTable, limits: DecodeLimits, isEnd: (token: number) => boolean) {
    this.#context = context
    this.#table = table
    this.#limits = limits
    this.#pace = new BatchPace(limits.promptTokens)
    this.#isEnd = isEnd
  }

  /** Queues a generation; `next` ones start before those that wait already. */
  submit(generation: Generation, place: 'next' | 'last' = 'last'): void {
    if (this.#disposed) {
      generation.onFailure(unloading())
      generation.onRelease()
      return
    }
    if (place === 'next') this.#waiting.unshift(generation)
    else this.#waiting.push(generation)
    this.#loop ??= this.#run().finally(() => {
      this.#loop = null
    })
  }

  /** Ends a generation at the next batch; nothing more is called on it. */
  cancel(generation: Generation): void {
    this.#cancelled.add(generation)
    if (!this.#waiting.includes(generation)) return
    this.#waiting = this.#waiting.filter((waiting) => waiting !== generation)
    generation.onRelease()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true
    this.#failAll(unloading())
    await this.#loop
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0 || this.#running.length > 0 || this.#undelivered.length > 0) {
      try {
        this.#dropFinished()
        await this.#admit()
        await this.#table.gather(
          this.#running.map((running) => running.hold),
          this.#limits.movePatience,
        )
        await this.#step()
      } catch (error) {
        this.#failAll(new ServiceError('inference_failed', 'The language model failed; send the request again.', { cause: error }))
        this.#table.clear()
      }
    }
  }

  #dropFinished(): void {
    const stays = (running: RunningGeneration): boolean => !running.done && !this.#cancelled.has(running.generation)
    if (this.#running.every(stays)) return
    for (const running of this.#running.filter((each) => !stays(each))) {
      this.#table.release(running.hold)
      running.left = true
      if (!this.#undelivered.some((delivery) => delivery.running === running)) running.generation.onRelease()
    }
    this.#running = this.#running.filter(stays)
  }

  async #admit(): Promise<void> {
    for (let generation = this.#waiting[0]; generation !== undefined; generation = this.#waiting[0]) {
      const hold = await this.#table.claim(generation.account, generation.prompt)
      if (hold === null) return
      if (!this.#waiting.includes(generation)) {
        this.#table.release(hold) // it was cancelled or failed while its state was being copied
        continue
      }
      this.#waiting = this.#waiting.filter((waiting) => waiting !== generation)
      const next = generation.prompt.subarray(hold.cachedTokens)
      this.#running.push({ generation, hold, arrival: this.#arrivals++, next, drawn: 0, done: false, left: false })
    }
  }

  /** Evaluates one batch, hands out the tokens of the one before meanwhile, and draws the next. */
  async #step(): Promise<void> {
    const byId = new Map(this.#running.map((running) => [running.hold.id, running]))
    const pending = this.#running.map((running) => ({ id: running.hold.id, tokens: running.next.length, arrival: running.arrival }))
    const decoding = pending.some((sequence) => sequence.tokens === 1)
    const batch = planBatch(pending, this.#pace.limit({ decoding }))
    if (batch.length === 0) return this.#deliver()
    const loaded = this.#load(batch, byId)
    const startedAt = performance.now()
    const decoded = this.#context.decodeBatch()
    this.#deliver()
    await decoded
    this.#pace.note(
      loaded.reduce((sum, entry) => sum + entry.tokens.length, 0),
      performance.now() - startedAt,
    )
    this.#undelivered = await this.#advance(loaded)
  }

  #load(batch: readonly BatchEntry[], byId: ReadonlyMap<number, RunningGeneration>): readonly LoadedEntry[] {
    this.#context.initBatch(batch.reduce((sum, entry) => sum + entry.count, 0))
    const loaded: LoadedEntry[] = []
    for (const { id, count, complete } of batch) {
      const running = byId.get(id)
      if (running === undefined) continue
      const tokens = running.next.subarray(0, count)
      const wanted = complete ? Uint32Array.of(count - 1) : new Uint32Array()
      const [index] = this.#context.addToBatch(id, this.#table.length(running.hold), tokens, wanted)
      loaded.push({ running, tokens, index: index ?? null })
    }
    return loaded
  }

  async #advance(loaded: readonly LoadedEntry[]): Promise<readonly Delivery[]> {
    const draws: Promise<Delivery>[] = []
    for (const { running, tokens, index } of loaded) {
      this.#table.append(running.hold, tokens)
      running.next = running.next.subarray(tokens.length)
      if (index === null || running.done || this.#cancelled.has(running.generation)) continue
      draws.push(drawToken(this.#context, index, running.generation).then((draw) => this.#accept(running, draw)))
    }
    return Promise.all(draws)
  }

  #accept(running: RunningGeneration, draw: Draw): Delivery {
    const ended = draw.token === null || this.#isEnd(draw.token)
    running.drawn++
    const end = ended ? 'end-token' : running.drawn >= running.generation.limit ? 'limit' : null
    running.done = end !== null
    if (draw.token !== null) running.next = Uint32Array.of(draw.token)
    return { running, draw: ended ? { token: null, logprobs: null } : draw, end }
  }

  #deliver(): void {
    const deliveries = this.#undelivered
    this.#undelivered = []
    for (const delivery of deliveries) {
      const { running } = delivery
      if (!this.#cancelled.has(running.generation)) handOut(delivery)
      if (running.left) running.generation.onRelease()
    }
  }

  #failAll(error: Error): void {
    const started = [...this.#running, ...this.#undelivered.map((delivery) => delivery.running)]
    const failed = new Set([...started.map((running) => running.generation), ...this.#waiting])
    for (const running of started) running.done = true
    for (const { running } of this.#undelivered) if (running.left) running.generation.onRelease()
    for (const generation of this.#waiting) generation.onRelease()
    this.#waiting = []
    this.#undelivered = []
    for (const generation of failed) if (!this.#cancelled.has(generation)) generation.onFailure(error)
  }
}

interface LoadedEntry {
  readonly running: RunningGeneration
  readonly tokens: Uint32Array
  /** Where its logits will be; null while its prompt is unfinished. */
  readonly index: number | null
}

function unloading(): ServiceError {
  return new ServiceError('shutting_down', 'The language model is being unloaded; send the request again.')
}
