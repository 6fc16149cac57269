import type { InferenceStatus, Progress } from '../../core/inference.ts'
import type { Clock } from '../../core/ports/clock.ts'
import { firstOf } from '../../core/waiting.ts'

/** Something that has just happened to a deferred inference in this process; the record stays the truth. */
export type InferenceEvent =
  | { readonly type: 'status'; readonly status: InferenceStatus }
  | { readonly type: 'progress'; readonly progress: Progress }
  /** A small JPEG of the current estimate. */
  | { readonly type: 'preview'; readonly image: Uint8Array }
  | { readonly type: 'cancel-requested' }

/** How often who listens reads the record although nothing was heard, because it may have moved in another process. */
export const rereadMs = 1000

/** Tells whoever listens in this process what happens to deferred inferences. */
export class InferenceEvents {
  readonly #clock: Clock
  readonly #subscriptions = new Map<string, Set<InferenceSubscription>>()
  readonly #progress = new Map<string, Progress>()
  #closed = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  publish(inferenceId: string, event: InferenceEvent): void {
    if (event.type === 'progress') this.#progress.set(inferenceId, event.progress)
    if (event.type === 'status') this.forgetProgress(inferenceId)
    for (const subscription of this.#subscriptions.get(inferenceId) ?? []) subscription.push(event)
  }

  /** The latest progress of an inference that runs in this process. */
  progressOf(inferenceId: string): Progress | null {
    return this.#progress.get(inferenceId) ?? null
  }

  /** Called when an attempt is over, however it ended. */
  forgetProgress(inferenceId: string): void {
    this.#progress.delete(inferenceId)
  }

  /** Whether this process is on its way out, so that there is nothing more to wait for. */
  get closed(): boolean {
    return this.#closed
  }

  /** Wakes everybody who waits; the last thing that is told. */
  close(): void {
    this.#closed = true
    for (const subscriptions of this.#subscriptions.values()) for (const subscription of subscriptions) subscription.wake()
  }

  /** Listens from now on until disposed of. */
  subscribe(inferenceId: string): InferenceSubscription {
    const others = this.#subscriptions.get(inferenceId) ?? new Set()
    this.#subscriptions.set(inferenceId, others)
    const subscription = new InferenceSubscription(this.#clock, () => {
      others.delete(subscription)
      if (others.size === 0 && this.#subscriptions.get(inferenceId) === others) this.#subscriptions.delete(inferenceId)
    })
    others.add(subscription)
    return subscription
  }
}

/** One listener. Of each kind of event it keeps only the newest, so that a slow listener costs nothing. */
class InferenceSubscription implements Disposable {
  readonly #clock: Clock
  readonly #leave: () => void
  readonly #unread = new Map<InferenceEvent['type'], InferenceEvent>()
  #wake: () => void = () => {}

  constructor(clock: Clock, leave: () => void) {
    this.#clock = clock
    this.#leave = leave
  }

  push(event: InferenceEvent): void {
    this.#unread.delete(event.type)
    this.#unread.set(event.type, event)
    this.#wake()
  }

  /** Ends the present wait without an event. */
  wake(): void {
    this.#wake()
  }

  /** The oldest unread event, or null when none comes within `timeoutMs`. */
  async next(timeoutMs: number, { signal }: { readonly signal: AbortSignal }): Promise<InferenceEvent | null> {
    signal.throwIfAborted()
    if (this.#unread.size === 0) await this.#wait(timeoutMs, signal)
    const [event] = this.#unread.values()
    if (event === undefined) return null
    this.#unread.delete(event.type)
    return event
  }

  [Symbol.dispose](): void {
    this.#leave()
  }

  async #wait(timeoutMs: number, signal: AbortSignal): Promise<void> {
    const woken = Promise.withResolvers<void>()
    this.#wake = woken.resolve
    await firstOf(
      signal,
      () => woken.promise,
      (either) => this.#clock.wait(timeoutMs, { signal: either }),
    )
  }
}
