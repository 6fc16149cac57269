import { ServiceError } from '../../../core/error.ts'
import type { ComputeThreads } from '../binding/compute-threads.ts'
import type { DecodingContext, LogitIndex } from '../binding/native-context.ts'
import type { DecodeLimits } from '../binding/open-context.ts'
import { AdapterTurns } from './adapter-turns.ts'
import { alignPrompts } from './align-prompts.ts'
import { BatchPace } from './batch-pace.ts'
import { chooseGeneration, joinLine } from './choose-generation.ts'
import { type Draw, drawToken, scoreToken } from './draw-token.ts'
import type { Generation } from './generation.ts'
import type { Guessing } from './guessing.ts'
import { type LoadedEntry, loadBatch, pendingTokens } from './load-batch.ts'
import { findPicture, loadPicture } from './load-picture.ts'
import { Pauses } from './pauses.ts'
import { planBatch } from './plan-batch.ts'
import { type Delivery, handOut, type RunningGeneration, steadyTexts, unloading } from './running-generation.ts'
import type { SequenceTable } from './sequence-table.ts'

interface LoopParts {
  readonly context: DecodingContext
  readonly table: SequenceTable
  readonly threads: ComputeThreads
  /** null = every token costs a batch. */
  readonly speculation: Guessing | null
  /** Cost of left-over rows, from `priceLeftOver`. */
  readonly leftOver: number
  /** Whether native work runs one after the other, in the order in which it was queued. */
  readonly inOrder: boolean
  /** Milliseconds on a clock that never goes back. */
  readonly now: () => number
}

/**
 * Evaluates all running generations in lock step: one batch, one token each, then the next. Generations join and leave
 * between batches; while a batch is computed, the tokens of the one before are handed out.
 */
export class DecodeLoop implements AsyncDisposable {
  readonly #parts: LoopParts
  readonly #context: DecodingContext
  readonly #table: SequenceTable
  readonly #limits: DecodeLimits
  readonly #pace: BatchPace
  readonly #pauses: Pauses
  readonly #turns = new AdapterTurns()
  readonly #speculation: Guessing | null
  #waiting: Generation[] = []
  #running: RunningGeneration[] = []
  #undelivered: readonly Delivery[] = []
  readonly #between: (() => Promise<unknown>)[] = []
  readonly #cancelled = new WeakSet<Generation>()
  /** Generations of the batch being computed, if nothing is queued behind it; null = no batch may be stopped. */
  #computing: readonly RunningGeneration[] | null = null
  #loop: Promise<void> | null = null
  #arrivals = 0
  /** Whether the last batch was of a picture. */
  #hasSeen = false
  #disposed = false

  constructor(parts: LoopParts, limits: DecodeLimits) {
    this.#parts = parts
    this.#context = parts.context
    this.#table = parts.table
    this.#speculation = parts.speculation
    this.#limits = limits
    this.#pace = new BatchPace(limits.promptTokens)
    this.#pauses = new Pauses(parts.now)
  }

  /** Queues a generation; `next` ones start before those of their account that wait already. */
  submit(generation: Generation, place: 'next' | 'last' = 'last'): void {
    if (this.#disposed) {
      generation.onFailure(unloading())
      generation.onRelease()
      return
    }
    this.#waiting = joinLine(this.#waiting, generation, place)
    this.#loop ??= this.#run()
  }

  /** Ends a generation at the next batch; nothing more is called on it. */
  cancel(generation: Generation): void {
    this.#cancelled.add(generation)
    this.#stopIfVain()
    if (!this.#waiting.includes(generation)) return
    this.#waiting = this.#waiting.filter((waiting) => waiting !== generation)
    generation.onRelease()
  }

  /** Computes something else between two batches; decoding waits for it, so it takes no longer than a batch. */
  between<Result>(compute: () => Promise<Result>): Promise<Result> {
    const { promise, resolve } = Promise.withResolvers<Result>()
    this.#between.push(() => {
      resolve(compute())
      return promise
    })
    this.#loop ??= this.#run()
    return promise
  }

  /** Releases the adapters of the last batch, so that they can be freed; the next batch sets its own. Called in {@link between}. */
  dropAdapters(): void {
    this.#turns.drop(this.#context)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true
    this.#failAll(unloading())
    this.#stopIfVain()
    await this.#loop
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0 || this.#running.length > 0 || this.#undelivered.length > 0 || this.#between.length > 0) {
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
      await this.#computeBetween()
    }
    this.#loop = null // in the same turn as the last check, so that no submission is missed
  }

  /** Runs one queued computation between two batches, and hands out the tokens of the last batch meanwhile. */
  async #computeBetween(): Promise<void> {
    const computed = this.#between.shift()?.()
    if (computed === undefined) return
    this.#deliver()
    await computed.catch(() => {}) // its caller gets the error
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
    const before = this.#running.length
    await this.#fill()
    if (this.#running.length === before) return
    const begun = (index: number): boolean => index < before
    const read = alignPrompts(
      this.#running.map(({ hold, next }, index) => ({
        cached: begun(index) || hold.pictures.length > 0 ? 0 : hold.cachedTokens,
        fresh: next.length,
      })),
      this.#parts.leftOver,
    )
    for (const [index, running] of this.#running.entries()) {
      if (begun(index)) continue
      const { prompt } = running.generation
      this.#table.keepLess(running.hold, prompt.length - (read[index] ?? 0))
      running.next = prompt.subarray(running.hold.cachedTokens)
    }
  }

  async #fill(): Promise<void> {
    const choose = () => chooseGeneration(this.#waiting, this.#running)
    for (let generation = choose(); generation !== undefined; generation = choose()) {
      // Only tokens that are read again have logits.
      const hold = await this.#table.claim(generation, generation.onPromptToken === null ? generation.prompt : [])
      if (hold === null) return
      if (!this.#waiting.includes(generation)) {
        this.#table.release(hold) // it was cancelled or failed while its state was being copied
        continue
      }
      this.#waiting = this.#waiting.filter((waiting) => waiting !== generation)
      const next = generation.prompt.subarray(hold.cachedTokens)
      const guesses = generation.pictures.length > 0 ? null : (this.#speculation?.openRecord() ?? null) // guessers cannot read pictures
      const guessing = { guess: new Uint32Array(), guesses }
      this.#running.push({ generation, hold, arrival: this.#arrivals++, next, ...guessing, drawn: 0, done: false, left: false })
    }
  }

  /** Evaluates one batch, hands out the tokens of the one before meanwhile, and draws the next. */
  async #step(): Promise<void> {
    const turn = this.#turns.next(this.#running)
    const loaded = await this.#load(turn)
    if (loaded.length === 0) return this.#deliver()
    this.#turns.use(this.#context, turn)
    const tokens = loaded.reduce((sum, entry) => sum + entry.tokens.length + entry.guess.length, 0)
    const { threads, now } = this.#parts
    const startedAt = now()
    const decoded = threads.decode(this.#context, tokens)
    const ahead = this.#drawAhead(loaded)
    if (ahead.every((draw) => draw === null)) this.#computing = loaded.map((entry) => entry.running)
    this.#deliver()
    try {
      if (!(await decoded.catch(afterDraws(ahead)))) {
        for (const { running } of loaded) this.#table.takeBack(running.hold) // the batch was stopped
        return
      }
    } finally {
      this.#computing = null
    }
    const tookMs = now() - startedAt
    this.#pace.note(tokens, tookMs)
    if (loaded.every((entry) => entry.tokens.length === 1)) this.#speculation?.note(tokens, tookMs)
    this.#undelivered = await this.#advance(loaded, ahead)
    if (this.#parts.inOrder && this.#undelivered.some(({ running, end }) => running.drawn === 1 && end === null)) {
      this.#deliver()
      await this.#pauses.afterFirstTokens()
    }
    const steady = this.#speculation === null ? steadyTexts(this.#running, this.#turns.used.key) : null
    while (steady !== null && this.#continues(steady)) await this.#repeat(steady)
  }

  /** Fills the next batch with tokens or, because both cannot share one, with rows of a picture. Texts in progress then get every second batch. */
  async #load(turn: readonly RunningGeneration[]): Promise<readonly LoadedEntry[]> {
    const seen = findPicture(turn, this.#table)
    this.#hasSeen = seen !== null && !(this.#hasSeen && seen.othersGoOn)
    if (seen !== null && this.#hasSeen) return [loadPicture(this.#parts, seen, this.#pace.limit({ decoding: seen.othersGoOn }))]
    const pending = pendingTokens(turn, this.#table)
    const batch = planBatch(pending, this.#pace.limit({ decoding: pending.some(({ tokens }) => tokens === 1) }))
    if (batch.length === 0) return []
    await this.#speculation?.guess(turn, this.#table)
    return loadBatch(this.#parts, turn, batch)
  }

  /** Stops a batch that nobody waits for. A batch shared with others continues, since repeated cancellation would delay them. */
  #stopIfVain(): void {
    const inVain = ({ done, generation }: RunningGeneration): boolean => done || this.#cancelled.has(generation)
    if (this.#computing?.every(inVain) === true) this.#context.stopBatch()
  }

  /** Whether the next batch is one more token of each. */
  #continues(steady: readonly RunningGeneration[]): boolean {
    if (this.#waiting.length > 0 || this.#between.length > 0) return false
    for (const { generation, done } of steady) if (done || this.#cancelled.has(generation)) return false
    return true
  }

  /**
   * A step in which all texts only continue. Between a batch's last draw and the next batch the computing thread is idle, and the weights have
   * evicted this code from the processor's caches. So there is little of it, and the rest is done while the next batch is computed.
   */
  async #repeat(running: readonly RunningGeneration[]): Promise<void> {
    const { threads, inOrder, now } = this.#parts
    // A single text leaves little to do meanwhile, less than it takes to hand its batch to another thread and wake up.
    const here = inOrder && running.length === 1 && this.#pace.isQuick
    if (here) {
      this.#deliver()
      await this.#pauses.ifDue()
      if (!this.#continues(running)) return
    }
    this.#context.initBatch()
    const startedAt = now()
    const indices = running.map(({ hold, next }) => this.#context.addToBatch(hold.id, this.#table.position(hold), next, firstPlace)[0] ?? 0)
    const decoded = threads.decode(this.#context, running.length, { here })
    const draw = (each: RunningGeneration, index: number) => each.generation.draw(this.#context, indices[index] ?? 0)
    // Half is drawn by the thread of the batch, the other half here meanwhile.
    const ahead = inOrder && !here ? running.slice(0, Math.ceil(running.length / 2)).map(draw) : []
    this.#deliver()
    await decoded.catch(afterDraws(ahead))
    if (running.length === 1) this.#pace.note(1, now() - startedAt) // the time of many texts is no measure for prompts
    for (const { hold, next } of running) this.#table.append(hold, next)
    const draws = running.map((each, index) => ahead[index] ?? draw(each, index))
    const tokens = await Promise.all(draws).catch(afterDraws(draws))
    const deliveries: Delivery[] = []
    for (const [index, token] of tokens.entries()) {
      const each = running[index]
      if (each === undefined || each.done || this.#cancelled.has(each.generation)) continue
      deliveries.push(this.#accept(each, { token: token < 0 ? null : token, logprobs: null }))
    }
    this.#undelivered = deliveries
  }

  /**
   * Queues draws after their batch if its logits have no other use, which saves a round trip between the threads. null for each draw that
   * depends on another result of the batch, or on the previous token.
   */
  #drawAhead(loaded: readonly LoadedEntry[]): readonly (Promise<number> | null)[] {
    const onlyDrawn = ({ tokens, guess }: LoadedEntry): boolean => tokens.length === 1 && guess.length === 0
    if (!this.#parts.inOrder || !loaded.every(onlyDrawn)) return loaded.map(() => null)
    return loaded.map(({ running: { generation }, indices: [index] }) => {
      if (!generation.drawsAhead || index === undefined) return null
      const draw = generation.draw(this.#context, index)
      draw.catch(() => {}) // its waiter gets the error
      return draw
    })
  }

  async #advance(loaded: readonly LoadedEntry[], ahead: readonly (Promise<number> | null)[]): Promise<readonly Delivery[]> {
    for (const { running, tokens } of loaded) {
      this.#table.append(running.hold, tokens)
      running.next = running.next.subarray(tokens.length)
    }
    for (const entry of loaded) this.#score(entry)
    const draws = loaded.map((entry, index) => this.#draw(entry, ahead[index] ?? null))
    const deliveries = await Promise.all(draws).catch(afterDraws(draws))
    for (const { running, guess } of loaded) if (guess.length > 0) this.#table.dropUnnoted(running.hold)
    return deliveries.filter((delivery) => delivery !== null)
  }

  #score({ running, scores }: LoadedEntry): void {
    const { topLogprobs, onPromptToken } = running.generation
    if (topLogprobs === null || onPromptToken === null) return
    for (const { index, token } of scores) {
      if (running.done || this.#cancelled.has(running.generation)) return
      onPromptToken(token, scoreToken(this.#context.logits(index), token, topLogprobs))
    }
  }

  /** Draws the next token, and the ones after it for as long as they were guessed right; the last one is still to be handed out. */
  async #draw({ running, guess, indices }: LoadedEntry, ahead: Promise<number> | null): Promise<Delivery | null> {
    const over = (): boolean => running.done || this.#cancelled.has(running.generation)
    let right = 0
    for (const index of indices) {
      if (ahead === null && over()) return null
      const draw = await this.#drawOrFail(running, index, ahead)
      if (draw === null || over()) return null
      const delivery = this.#accept(running, draw)
      const guessed = guess[right]
      if (delivery.end !== null || delivery.draw.token !== guessed) {
        running.guesses?.note(guess.length, right)
        return delivery
      }
      this.#table.append(running.hold, [guessed])
      right++
      if (!this.#cancelled.has(running.generation)) handOut(delivery) // at once, because what was drawn may change the sampler
    }
    return null
  }

  /** null = drawing failed, which affects only this generation. */
  async #drawOrFail(running: RunningGeneration, index: LogitIndex, ahead: Promise<number> | null): Promise<Draw | null> {
    try {
      return await drawToken(this.#context, index, running.generation, ahead)
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      running.done = true
      if (!this.#cancelled.has(running.generation)) running.generation.onFailure(error)
      return null
    }
  }

  #accept(running: RunningGeneration, draw: Draw): Delivery {
    const ended = draw.token === null || running.generation.isEnd(draw.token)
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

const firstPlace = Uint32Array.of(0)

/** Throws a failure when these draws have ended too: their samplers are given back only then. */
function afterDraws(draws: readonly (Promise<unknown> | null)[]): (failure: unknown) => Promise<never> {
  return async (failure) => {
    await Promise.allSettled(draws)
    throw failure
  }
}
