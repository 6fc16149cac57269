import type { ImageProgress } from '../../core/image-generation.ts'
import type { TextPart } from '../../core/text-generation.ts'
import { unpackFailure } from './engine-failure.ts'
import { type CallReport, type EngineResult, streamWindow } from './engine-messages.ts'

interface CallHandlers {
  /** Called at most once, and not after the engine's last word. */
  readonly abort: () => void
  readonly more: (parts: number) => void
  readonly onProgress?: ((progress: ImageProgress) => void) | undefined
}

/** The service's end of one call to an engine: a stream of parts, and at its end a result or an error. */
export class EngineCall implements Disposable {
  readonly #handlers: CallHandlers
  readonly #signal: AbortSignal
  readonly #leave = (): void => {
    this.fail(this.#signal.reason)
    this.#abort()
  }
  #parts: TextPart[] = []
  #wake = Promise.withResolvers<void>()
  #end: { readonly result: EngineResult | undefined } | { readonly error: unknown } | undefined
  /** Whether the engine has nothing more to do for this call, or was notified of that. */
  #settled = false
  #unacknowledged = 0
  #taken = 0

  constructor(handlers: CallHandlers, signal: AbortSignal) {
    this.#handlers = handlers
    this.#signal = signal
    signal.addEventListener('abort', this.#leave, { once: true })
  }

  receive(report: CallReport): void {
    if (report.type === 'done' || report.type === 'failed') this.#settled = true
    if (this.#end !== undefined) return
    if (report.type === 'progress') this.#handlers.onProgress?.(report.progress)
    else if (report.type === 'part') this.#parts.push(report.part)
    else if (report.type === 'done') this.#end = { result: report.result }
    else this.#end = { error: unpackFailure(report.error) }
    this.#wake.resolve()
  }

  /** Fails the call early: its consumer gets the error at once, whatever the engine does. */
  fail(error: unknown): void {
    if (this.#end !== undefined) return
    this.#parts = []
    this.#end = { error }
    this.#wake.resolve()
  }

  /** Returns the parts since the last call, waiting for at least one; empty at the end. Calling it acknowledges the earlier ones. */
  async take(): Promise<readonly TextPart[]> {
    this.#acknowledge(this.#taken)
    while (this.#parts.length === 0 && this.#end === undefined) {
      await this.#wake.promise
      this.#wake = Promise.withResolvers()
    }
    const parts = this.#parts
    this.#parts = []
    this.#taken = parts.length
    if (parts.length === 0 && this.#end !== undefined && 'error' in this.#end) throw this.#end.error
    return parts
  }

  async result(): Promise<EngineResult | undefined> {
    while (this.#end === undefined) {
      await this.#wake.promise
      this.#wake = Promise.withResolvers()
    }
    if ('error' in this.#end) throw this.#end.error
    return this.#end.result
  }

  /** Stops the engine's work, unless it has ended. */
  [Symbol.dispose](): void {
    this.#signal.removeEventListener('abort', this.#leave)
    this.#abort()
  }

  #abort(): void {
    if (this.#settled) return
    this.#settled = true
    this.#handlers.abort()
  }

  /** Acknowledges consumed parts to the engine in large steps. */
  #acknowledge(parts: number): void {
    this.#unacknowledged += parts
    if (this.#unacknowledged < streamWindow / 2 || this.#settled) return
    this.#handlers.more(this.#unacknowledged)
    this.#unacknowledged = 0
  }
}

/** Flow control: the number of parts that may be sent before some are acknowledged. */
export class StreamWindow {
  #left = streamWindow
  #opened: (() => void) | undefined

  /** Takes the room of one part; false when there is none. */
  take(): boolean {
    if (this.#left <= 0) return false
    this.#left -= 1
    return true
  }

  /** Waits for the room of one part, and takes it. */
  async opened(signal: AbortSignal): Promise<void> {
    while (!this.take()) {
      signal.throwIfAborted()
      await new Promise<void>((resolve) => {
        this.#opened = resolve
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
    }
  }

  widen(parts: number): void {
    this.#left += parts
    this.#opened?.()
  }
}
