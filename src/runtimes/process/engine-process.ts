import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { ServiceError } from '../../core/error.ts'
import type { ImageProgress } from '../../core/image-generation.ts'
import type { ModelDescriptor } from '../../core/model.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { LoadOptions } from '../../core/ports/model-loader.ts'
import type { TextFigures } from '../../core/ports/text-model.ts'
import type { Confinement, EngineNeeds } from './confine/confinement.ts'
import { spawnEngine } from './confine/spawn-engine.ts'
import { EngineCall } from './engine-call.ts'
import { unpackFailure } from './engine-failure.ts'
import type { EngineEvent, EngineFacts, EngineFailure, EngineOptions, EngineWork, FromEngine, ToEngine } from './engine-messages.ts'
import { type Parcel, unpack } from './parcels.ts'
import type { ThreadShares, ThreadTaker } from './thread-shares.ts'

export interface EngineProcessSettings {
  /** The module to run; it must call `serveTextEngine` or `serveImageEngine`. */
  readonly entry: URL
  readonly needs: EngineNeeds
  /** null = not confined. */
  readonly confinement: Confinement | null
  readonly clock: Clock
  readonly log: (event: EngineEvent) => void
  /** Kills an engine that takes longer to load. */
  readonly loadMs: number
  /** Time after an abort until a busy engine is killed. */
  readonly abortMs: number
  /** Shares the processor's threads; engines that compute elsewhere take none. */
  readonly shares: ThreadShares
}

/** A line longer than this is cut before it is logged. */
const longestLine = 2000
/** Last output lines kept to explain an engine's exit. */
const maxLastLines = 3

/** One engine in a child process: starts it, multiplexes calls over its channel, notices its end. */
export class EngineProcess implements AsyncDisposable, ThreadTaker {
  readonly exited: Promise<{ readonly reason: string }>
  readonly #child: ChildProcess
  readonly #modelId: string
  readonly #settings: EngineProcessSettings
  readonly #calls = new Map<number, EngineCall>()
  readonly #unanswered = new Map<number, AbortController>()
  readonly #loading = Promise.withResolvers<void>()
  #lastId = 0
  #memoryBytes = 0
  #peakMemoryBytes = 0
  #onProgress: LoadOptions['onProgress']
  #facts: EngineFacts = {}
  #figures: TextFigures | undefined
  #killedFor: string | undefined
  #lastLines: readonly string[] = []

  private constructor(modelId: string, child: ChildProcess, settings: EngineProcessSettings) {
    this.#modelId = modelId
    this.#settings = settings
    this.#child = child
    this.#loading.promise.catch(() => {})
    for (const stream of [this.#child.stdout, this.#child.stderr]) if (stream !== null) this.#capture(stream)
    this.#child.on('message', (parcels) => unpack(parcels as readonly Parcel[], (message) => this.#receive(message)))
    this.exited = new Promise((resolve) => {
      const end = (reason: string) => resolve({ reason: this.#end(this.#killedFor ?? reason) })
      const { stdout, stderr } = this.#child
      const spoken = [stdout, stderr].map((stream) => new Promise<void>((done) => (stream === null ? done() : stream.once('close', done))))
      // After its last words: why an engine cannot load stands in them. Node's own `close` does not come after a disconnect from this side.
      this.#child.once('exit', async (code, signal) => {
        await Promise.all(spoken)
        end(this.#explain(signal === null ? `exited with code ${code}` : `killed by ${signal}`))
      })
      this.#child.on('error', (error) => end(error.message))
    })
  }

  /**
   * Starts an engine and loads its model.
   *
   * @throws {ServiceError} the engine's error about the model's files, `inference_failed` if it dies or takes too long, or
   * `server_is_overloaded` if no process can be started.
   */
  static async start(
    load: { readonly descriptor: ModelDescriptor } & EngineOptions,
    settings: EngineProcessSettings,
    { signal, onProgress }: LoadOptions,
  ): Promise<EngineProcess> {
    signal.throwIfAborted()
    const startedAt = settings.clock.now()
    const child = await spawnEngine(settings.entry, settings.needs, settings.confinement)
    const engine = new EngineProcess(load.descriptor.id, child, settings)
    engine.#onProgress = onProgress
    const loaded = new AbortController()
    const stop = () => engine.#kill('aborted while loading')
    signal.addEventListener('abort', stop, { once: true })
    engine.#killAfter(settings.loadMs, 'did not load in time', loaded.signal)
    try {
      signal.throwIfAborted()
      engine.#send({ type: 'load', ...load })
      await engine.#loading.promise
      signal.throwIfAborted()
    } catch (error) {
      await engine[Symbol.asyncDispose]()
      throw signal.aborted ? signal.reason : error
    } finally {
      signal.removeEventListener('abort', stop)
      loaded.abort()
    }
    settings.log({ type: 'started', modelId: load.descriptor.id, pid: engine.#child.pid ?? 0, loadMs: settings.clock.now() - startedAt })
    return engine
  }

  get memoryBytes(): number {
    return this.#memoryBytes
  }

  /** The most that it reported. */
  get peakMemoryBytes(): number {
    return this.#peakMemoryBytes
  }

  /** Latest reported statistics of a text model. */
  get figures(): TextFigures | undefined {
    return this.#figures
  }

  /** Known once it has started. */
  get facts(): EngineFacts {
    return this.#facts
  }

  /** Sends work to the engine; disposing the call before its end aborts it there. */
  call(work: EngineWork, { signal, onProgress }: { signal: AbortSignal; onProgress?: (progress: ImageProgress) => void }): EngineCall {
    signal.throwIfAborted()
    const id = ++this.#lastId
    const handlers = {
      abort: () => this.#abort(id),
      more: (parts: number) => this.#send({ type: 'more', id, parts }),
      onProgress,
    }
    const call = new EngineCall(handlers, signal)
    if (this.#child.connected) {
      this.#calls.set(id, call)
      if (this.#calls.size === 1) this.#share(true)
      this.#send({ type: 'start', id, work })
    } else call.fail(makeCrashError(this.#killedFor ?? 'gone'))
    return call
  }

  /** Kills the process: it keeps nothing worth saving, and the kernel frees its memory faster than its own tear-down would. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#kill('unloaded')
    await this.exited
  }

  useThreads(count: number): void {
    this.#send({ type: 'threads', count })
  }

  #share(working: boolean): void {
    const { device } = this.#facts
    if (device?.backend === 'cpu' || device?.layers !== undefined) this.#settings.shares.note(this, working)
  }

  #abort(id: number): void {
    if (!this.#calls.has(id)) return
    const answered = new AbortController()
    this.#unanswered.set(id, answered)
    this.#killAfter(this.#settings.abortMs, 'kept working after an abort', answered.signal)
    this.#send({ type: 'abort', id })
  }

  #killAfter(ms: number, reason: string, done: AbortSignal): void {
    this.#settings.clock.wait(ms, { signal: done }).then(
      () => this.#kill(reason),
      () => {},
    )
  }

  #kill(reason: string): void {
    this.#killedFor ??= reason
    this.#child.kill('SIGKILL')
    // What confines an engine may die before the engine is bound to it: the engine then ends with its channel.
    if (this.#child.connected) this.#child.disconnect()
  }

  #send(message: ToEngine): void {
    // A channel that has closed is noticed by the exit of its process.
    if (this.#child.connected) this.#child.send(message, () => {})
  }

  #receive(message: FromEngine): void {
    if (message.type === 'memory') this.#noteMemory(message.bytes)
    else if (message.type === 'figures') this.#noteFigures(message.figures)
    else if (message.type === 'loading') this.#onProgress?.(message.part)
    else if (message.type === 'loaded') this.#load(message)
    else if (message.type === 'load-failed') {
      this.#logCause(message.error)
      this.#loading.reject(unpackFailure(message.error))
    } else {
      this.#calls.get(message.id)?.receive(message)
      if (message.type === 'done' || message.type === 'failed') this.#forget(message.id)
      if (message.type === 'failed' && message.error.cause !== undefined) this.#logCause(message.error)
    }
  }

  #noteMemory(bytes: number): void {
    this.#memoryBytes = bytes
    this.#peakMemoryBytes = Math.max(this.#peakMemoryBytes, bytes)
  }

  #noteFigures(figures: TextFigures): void {
    const { guesses = 0, guessedTokens = 0, rightTokens = 0 } = this.#figures ?? {}
    const isNew = this.#figures === undefined || figures.guesses > guesses
    this.#figures = figures
    if (!isNew) return
    this.#settings.log({
      type: 'guessed',
      modelId: this.#modelId,
      guesses: figures.guesses - guesses,
      guessedTokens: figures.guessedTokens - guessedTokens,
      rightTokens: figures.rightTokens - rightTokens,
    })
  }

  #load({ contextLength, device }: EngineFacts): void {
    this.#facts = { contextLength, device }
    this.#loading.resolve()
  }

  #forget(id: number): void {
    if (this.#calls.delete(id) && this.#calls.size === 0) this.#share(false)
    this.#unanswered.get(id)?.abort()
    this.#unanswered.delete(id)
  }

  #end(reason: string): string {
    const error = makeCrashError(reason)
    this.#loading.reject(error)
    for (const [id, call] of this.#calls) {
      call.fail(error)
      this.#forget(id)
    }
    this.#settings.log({ type: 'exited', modelId: this.#modelId, pid: this.#child.pid, reason })
    return reason
  }

  #capture(stream: NodeJS.ReadableStream): void {
    createInterface({ input: stream }).on('line', (line) => {
      if (line.trim() !== '') this.#lastLines = [...this.#lastLines, line.slice(0, longestLine)].slice(-maxLastLines)
      this.#log(line)
    })
  }

  /** Why it ended, with what it wrote last. */
  #explain(reason: string): string {
    return this.#lastLines.length === 0 ? reason : `${reason}, after it wrote: ${this.#lastLines.join(' | ')}`
  }

  #logCause({ cause = '' }: EngineFailure): void {
    for (const line of cause.split('\n')) this.#log(line)
  }

  #log(line: string): void {
    this.#settings.log({ type: 'output', modelId: this.#modelId, pid: this.#child.pid, line: line.slice(0, longestLine) })
  }
}

function makeCrashError(reason: string): ServiceError {
  return new ServiceError('inference_failed', 'The model stopped during this request; send it again.', {
    cause: new Error(reason),
  })
}
