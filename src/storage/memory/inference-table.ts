import { outputRetentionMs } from '../../core/inference.ts'
import { cancelled } from '../../core/inference-failure.ts'
import type { Completion, Hold } from '../../core/ports/inference-queue.ts'
import type { InferenceEntry } from './inference-entry.ts'

/** Told in the same turn in which an inference moves. */
interface InferenceListener {
  readonly onCompleted: (entry: InferenceEntry) => void
  readonly onPutBack: (entry: InferenceEntry) => void
}

/** The inferences of a memory store and the moves between their states. */
export class InferenceTable {
  readonly #entries = new Map<string, InferenceEntry>()
  readonly #on: InferenceListener

  constructor(listener: InferenceListener) {
    this.#on = listener
  }

  add(entry: InferenceEntry): void {
    this.#entries.set(entry.inference.id, entry)
  }

  remove(id: string): void {
    this.#entries.delete(id)
  }

  find(id: string, accountId: string): InferenceEntry | null {
    const entry = this.#entries.get(id)
    return entry?.inference.accountId === accountId ? entry : null
  }

  known(id: string): InferenceEntry | undefined {
    return this.#entries.get(id)
  }

  all(): readonly InferenceEntry[] {
    return [...this.#entries.values()]
  }

  pending(): readonly InferenceEntry[] {
    return this.all().filter(({ inference }) => inference.status === 'pending')
  }

  /** The entry of a claim that is still held. */
  held({ id, attempt }: Hold): InferenceEntry | null {
    const entry = this.#entries.get(id)
    return entry?.inference.status === 'running' && entry.inference.attempt === attempt ? entry : null
  }

  /** Whether this attempt has completed the inference in just this way. */
  isCompletedBy({ id, attempt }: Hold, completion: Completion): boolean {
    const found = this.#entries.get(id)?.inference
    if (found?.status !== 'completed' || found.attempt !== attempt || found.outcome !== completion.outcome) return false
    return completion.outcome !== 'succeeded' || completion.output.sha256 === found.output?.sha256
  }

  complete(entry: InferenceEntry, completion: Completion, now: number): void {
    entry.inference = {
      ...entry.inference,
      status: 'completed',
      outcome: completion.outcome,
      error: completion.outcome === 'succeeded' ? null : completion.error,
      output: completion.outcome === 'succeeded' ? completion.output : null,
      completedAt: now,
      expiresAt: now + outputRetentionMs,
    }
    entry.work = null
    this.#on.onCompleted(entry)
  }

  /** Ends what an account has waiting, and tells what runs to end. */
  cancelAll(accountId: string, now: number): void {
    for (const entry of this.all().filter(({ inference }) => inference.accountId === accountId)) {
      if (entry.inference.status === 'pending') this.complete(entry, { outcome: 'cancelled', error: cancelled }, now)
      if (entry.inference.status === 'running') entry.cancelRequested = true
    }
  }

  putBack(entry: InferenceEntry, { delayMs, now }: { readonly delayMs: number; readonly now: number }): void {
    entry.inference = { ...entry.inference, status: 'pending', startedAt: null, progress: null }
    entry.notBefore = delayMs === 0 ? 0 : now + delayMs
    this.#on.onPutBack(entry)
  }
}
