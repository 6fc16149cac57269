import type { InferenceStatus, Progress } from '../../core/inference.ts'
import type { Clock } from '../../core/ports/clock.ts'
import { joinPart, type WrittenPart } from '../../core/text/visible-text.ts'
import { type Abortable, firstOf } from '../../core/waiting.ts'

/** An event of a deferred inference in this process; the record remains authoritative. */
export type InferenceEvent =
  | { readonly type: 'status'; readonly status: InferenceStatus }
  | { readonly type: 'progress'; readonly progress: Progress }
  /** A small JPEG of the current estimate. */
  | { readonly type: 'preview'; readonly image: Uint8Array }
  /** Parts of a text since the last event of this kind. */
  | { readonly type: 'text'; readonly parts: readonly WrittenPart[] }
  | { readonly type: 'cancel-requested' }

/** Interval at which listeners reread the record without an event, since another process may have changed it. */
export const rereadMs = 1000

/** The text a running inference has written so far, with times. */
export interface WrittenText {
  readonly parts: readonly WrittenPart[]
  /** Times of the first and last part in Unix milliseconds. */
  readonly firstAt: number
  readonly lastAt: number
}

/** Publishes the events of asynchronous inferences to listeners in this process. */
export class InferenceEvents {
  readonly #clock: Clock
  readonly #subscriptions = new Map<string, Set<InferenceSubscription>>()
  readonly #progress = new Map<string, Progress>()
  readonly #written = new Map<string, { readonly parts: WrittenPart[]; readonly firstAt: number; lastAt: number }>()
  #closed = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  publish(id: string, event: InferenceEvent): void {
    if (event.type === 'progress') this.#progress.set(id, event.progress)
    if (event.type === 'status') this.forgetProgress(id)
    if (event.type === 'text') this.#noteText(id, event.parts)
    for (const subscription of this.#subscriptions.get(id) ?? []) subscription.push(event)
  }

  /** The latest progress of an inference running in this process. */
  progressOf(id: string): Progress | null {
    return this.#progress.get(id) ?? null
  }

  /** The text of an inference's current attempt in this process. */
  writtenBy(id: string): WrittenText | null {
    return this.#written.get(id) ?? null
  }

  /** Call when an attempt has ended, whatever its outcome. */
  forgetProgress(id: string): void {
    this.#progress.delete(id)
    this.#written.delete(id)
  }

  /** Whether the process is shutting down, so that waiting is pointless. */
  get closed(): boolean {
    return this.#closed
  }

  /** Wakes all waiters for the last time. */
  close(): void {
    this.#closed = true
    for (const subscriptions of this.#subscriptions.values()) for (const subscription of subscriptions) subscription.wake()
  }

  /**
   * Subscribes until disposed of.
   *
   * @param withText Whether to receive the text from its start; absent = no.
   */
  subscribe(id: string, { withText = false }: { readonly withText?: boolean } = {}): InferenceSubscription {
    const others = this.#subscriptions.get(id) ?? new Set()
    this.#subscriptions.set(id, others)
    const leave = () => {
      others.delete(subscription)
      if (others.size === 0 && this.#subscriptions.get(id) === others) this.#subscriptions.delete(id)
    }
    const subscription = new InferenceSubscription(this.#clock, { leave, withText })
    others.add(subscription)
    const written = this.#written.get(id)
    if (written !== undefined) subscription.push({ type: 'text', parts: written.parts })
    return subscription
  }

  #noteText(id: string, parts: readonly WrittenPart[]): void {
    const now = this.#clock.now()
    const written = this.#written.get(id) ?? { parts: [], firstAt: now, lastAt: now }
    this.#written.set(id, written)
    written.lastAt = now
    for (const part of parts) joinPart(written.parts, part)
  }
}

/** One listener. It keeps only the newest event of each kind, and unread text as one event, which bounds the memory of slow listeners. */
class InferenceSubscription implements Disposable {
  readonly #clock: Clock
  readonly #leave: () => void
  readonly #withText: boolean
  readonly #unread = new Map<InferenceEvent['type'], InferenceEvent>()
  #unreadText: WrittenPart[] = []
  #wake: () => void = () => {}

  constructor(clock: Clock, { leave, withText }: { readonly leave: () => void; readonly withText: boolean }) {
    this.#clock = clock
    this.#leave = leave
    this.#withText = withText
  }

  push(event: InferenceEvent): void {
    if (event.type === 'text' && !this.#withText) return
    // A new attempt starts the text again.
    if (event.type === 'status' && event.status !== 'completed') this.#unread.delete('text')
    const unread = event.type === 'text' ? this.#withUnreadText(event.parts) : event
    if (event.type !== 'text') this.#unread.delete(event.type)
    this.#unread.set(event.type, unread)
    this.#wake()
  }

  /** Ends the current wait without an event. */
  wake(): void {
    this.#wake()
  }

  /** The oldest unread event, or null after `timeoutMs`. */
  async next(timeoutMs: number, { signal }: Abortable): Promise<InferenceEvent | null> {
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

  #withUnreadText(parts: readonly WrittenPart[]): InferenceEvent {
    if (!this.#unread.has('text')) this.#unreadText = []
    for (const part of parts) joinPart(this.#unreadText, part)
    return { type: 'text', parts: this.#unreadText }
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
