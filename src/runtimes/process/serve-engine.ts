import { flushCompileCache } from 'node:module'
import type { ModelDescriptor } from '../../core/model.ts'
import type { LoadOptions } from '../../core/ports/model-loader.ts'
import type { TextFigures } from '../../core/ports/text-model.ts'
import { neverAborted } from '../../core/waiting.ts'
import { StreamWindow } from './engine-call.ts'
import { packFailure } from './engine-failure.ts'
import type { EngineFacts, EngineOptions, EngineWork, FromEngine, ToEngine } from './engine-messages.ts'
import { MessageGatherer, pack } from './parcels.ts'

/** Runs one piece of work; its result or error ends the call. */
export type WorkRunner = (
  work: EngineWork,
  call: { readonly id: number; readonly signal: AbortSignal; readonly window: StreamWindow; readonly send: (message: FromEngine) => void },
) => Promise<Extract<FromEngine, { type: 'done' }>['result']>

/** A loaded engine. */
interface Engine extends EngineFacts {
  readonly run: WorkRunner
  /** Statistics of a text model, reported every two seconds and after each piece of work. */
  readonly figures?: () => TextFigures | undefined
  /** Sets the number of compute threads; absent = fixed. */
  readonly useThreads?: (count: number) => void
  /** Pieces of work at once; more wait here, since an aborted one may need a moment to stop. */
  readonly slots: number
}

const reportMs = 2000

/** Runs an engine in this process for the service that forked it. */
export function serveEngine(load: (descriptor: ModelDescriptor, options: EngineOptions & LoadOptions) => Promise<Engine>): void {
  const channel = new EngineChannel()
  const running = new Map<number, { readonly controller: AbortController; readonly window: StreamWindow }>()
  let loaded: (Pick<Engine, 'run' | 'figures' | 'useThreads'> & { readonly gate: EngineGate }) | undefined

  const reportMemory = () => channel.send({ type: 'memory', bytes: process.memoryUsage.rss() })
  const reportFigures = () => {
    const figures = loaded?.figures?.()
    if (figures !== undefined) channel.send({ type: 'figures', figures })
  }

  const start = async (id: number, work: EngineWork): Promise<void> => {
    const controller = new AbortController()
    const window = new StreamWindow()
    running.set(id, { controller, window })
    const { signal } = controller
    try {
      using _slot = await loaded?.gate.enter(signal)
      const result = await loaded?.run(work, { id, signal, window, send: (message) => channel.send(message) })
      reportFigures()
      channel.send({ type: 'done', id, ...(result && { result }) })
    } catch (error) {
      // After an abort the error is not needed.
      channel.send(signal.aborted ? { type: 'done', id } : { type: 'failed', id, error: packFailure(error) })
    } finally {
      running.delete(id)
    }
  }

  channel.listen(async (message) => {
    if (message.type === 'start') return start(message.id, message.work)
    if (message.type === 'abort') return running.get(message.id)?.controller.abort()
    if (message.type === 'threads') return loaded?.useThreads?.(message.count)
    if (message.type === 'more') return running.get(message.id)?.window.widen(message.parts)
    try {
      const { type: _, descriptor, ...options } = message
      let reported = 0
      const onProgress = (part: number) => {
        // A hundred messages are enough for a progress bar.
        if (part < reported + 0.01) return
        reported = part
        channel.send({ type: 'loading', part })
      }
      const engine = await load(descriptor, { ...options, ...neverAborted, onProgress })
      loaded = { ...engine, gate: new EngineGate(engine.slots) }
      const report = () => {
        reportMemory()
        reportFigures()
      }
      report()
      setInterval(report, reportMs).unref()
      channel.send({ type: 'loaded', contextLength: engine.contextLength, device: engine.device })
      // An engine is killed in the end, and only a process that ends by itself would keep what it compiled.
      flushCompileCache()
    } catch (error) {
      channel.send({ type: 'load-failed', error: packFailure(error) })
    }
  })
}

/** An engine's end of the channel to the service. */
class EngineChannel {
  readonly #outgoing = new MessageGatherer({
    now: () => performance.now(),
    soon: setImmediate,
    later: setTimeout,
    send: (messages) => process.send?.(pack(messages), undefined, undefined, () => {}),
  })

  send(message: FromEngine): void {
    this.#outgoing.add(message)
  }

  /** Hears what the service says; without a service there is nothing to live for, so its end ends this process. */
  listen(onMessage: (message: ToEngine) => void): void {
    process.on('message', (message) => onMessage(message as ToEngine))
    process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
    // A terminal's Ctrl-C and a service manager's stop reach every process; the service decides when its engines go.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
  }
}

/** Lets a fixed number of callers in at once, first come, first served. */
export class EngineGate {
  #free: number
  readonly #queue: (() => void)[] = []

  constructor(places: number) {
    this.#free = places
  }

  /** Resolves when a place is free; disposing what it resolves to gives the place back. */
  async enter(signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted()
    if (this.#free > 0) this.#free -= 1
    else await this.#wait(signal)
    return { [Symbol.dispose]: () => this.#leave() }
  }

  #leave(): void {
    const next = this.#queue.shift()
    if (next === undefined) this.#free += 1
    else next()
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const leave = () => {
        this.#queue.splice(this.#queue.indexOf(enter), 1)
        reject(signal.reason)
      }
      signal.addEventListener('abort', leave, { once: true })
      this.#queue.push(enter)
    })
  }
}
