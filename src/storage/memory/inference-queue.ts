import { accountDisabled } from '../../core/account-disabled.ts'
import { type Inference, outputRetentionMs, type Progress, recordRetentionMs } from '../../core/inference.ts'
import { cancelled, lostWorkers, waitedTooLong } from '../../core/inference-failure.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type {
  AttemptFailure,
  Claim,
  ClaimState,
  Completion,
  ExpiryReport,
  InferenceQueue,
  InferenceSubmission,
  QueueLimits,
  SweepReport,
} from '../../core/ports/inference-queue.ts'
import { Doorbell } from '../doorbell.ts'
import { idempotencyConflict, queueFull, shareFull } from '../refuse-submission.ts'
import { type InferenceEntry, makeEntry } from './inference-entry.ts'
import type { InferenceTable } from './inference-table.ts'
import type { Turns } from './turns.ts'

type Options = { readonly signal: AbortSignal }

interface MemoryQueueSettings {
  readonly clock: Clock
  readonly limits: QueueLimits
  readonly isDisabled: (accountId: string) => boolean
}

/** The queue in memory: the same behaviour, gone with the process. */
export class MemoryInferenceQueue implements InferenceQueue {
  readonly #table: InferenceTable
  readonly #turns: Turns
  readonly #clock: Clock
  readonly #limits: QueueLimits
  readonly #isDisabled: (accountId: string) => boolean
  readonly #doorbell: Doorbell
  #seq = 0

  constructor(table: InferenceTable, turns: Turns, { clock, limits, isDisabled }: MemoryQueueSettings) {
    this.#table = table
    this.#turns = turns
    this.#clock = clock
    this.#limits = limits
    this.#isDisabled = isDisabled
    this.#doorbell = new Doorbell(clock)
  }

  async enqueue(
    submission: InferenceSubmission,
    { signal }: Options,
  ): Promise<{ readonly inference: Inference; readonly repeated: boolean }> {
    signal.throwIfAborted()
    const now = this.#clock.now()
    const earlier = this.#findEarlier(submission, now)
    if (earlier !== null) return { inference: earlier.inference, repeated: true }
    this.#checkRoom(submission.accountId)
    const entry = makeEntry(submission, { now, seq: ++this.#seq })
    this.#table.add(entry)
    this.#doorbell.ring()
    return { inference: entry.inference, repeated: false }
  }

  async claim(
    { models, leaseMs }: { readonly workerId: string; readonly models: readonly string[]; readonly leaseMs: number },
    { signal }: Options,
  ): Promise<Claim | null> {
    signal.throwIfAborted()
    const now = this.#clock.now()
    const ready = this.#table.pending().filter((entry) => models.includes(entry.inference.model) && entry.notBefore <= now)
    const entry = this.#turns.choose(ready)
    if (entry === null || entry.work === null) return null
    const attempt = entry.inference.attempt + 1
    entry.inference = { ...entry.inference, status: 'running', attempt, startedAt: now, progress: null }
    entry.leaseUntil = now + leaseMs
    return { inference: entry.inference, work: entry.work, attempt, lostAttempts: entry.lost, leaseUntil: entry.leaseUntil }
  }

  async renew(
    claim: Claim,
    { leaseMs, progress }: { readonly leaseMs: number; readonly progress: Progress | null },
    { signal }: Options,
  ): Promise<ClaimState> {
    signal.throwIfAborted()
    const entry = this.#table.held(claim)
    if (entry === null) return 'lost'
    entry.leaseUntil = this.#clock.now() + leaseMs
    entry.inference = { ...entry.inference, progress: progress ?? entry.inference.progress }
    return entry.cancelRequested ? 'cancel-requested' : 'held'
  }

  async complete(claim: Claim, completion: Completion, { signal }: Options): Promise<boolean> {
    signal.throwIfAborted()
    const entry = this.#table.held(claim)
    if (entry !== null) this.#table.complete(entry, completion, this.#clock.now())
    return entry !== null
  }

  async release(claim: Claim, { signal, delayMs = 0 }: Options & { readonly delayMs?: number }): Promise<boolean> {
    signal.throwIfAborted()
    const entry = this.#table.held(claim)
    if (entry !== null) this.#table.putBack(entry, { delayMs, now: this.#clock.now() })
    this.#doorbell.ring()
    return entry !== null
  }

  async retry(claim: Claim, failure: AttemptFailure, { signal }: Options): Promise<'requeued' | 'failed' | 'not-held'> {
    signal.throwIfAborted()
    const entry = this.#table.held(claim)
    if (entry === null) return 'not-held'
    const decision = this.#table.retry(entry, failure, this.#clock.now())
    this.#doorbell.ring()
    return decision
  }

  async cancel({ id, accountId }: { readonly id: string; readonly accountId: string }, { signal }: Options): Promise<Inference | null> {
    signal.throwIfAborted()
    const entry = this.#table.find(id, accountId)
    if (entry === null) return null
    if (entry.inference.status === 'pending') this.#table.complete(entry, { outcome: 'cancelled', error: cancelled }, this.#clock.now())
    if (entry.inference.status === 'running') entry.cancelRequested = true
    return entry.inference
  }

  async sweep({ maxQueueMs }: { readonly maxQueueMs: number }, { signal }: Options): Promise<SweepReport> {
    signal.throwIfAborted()
    const now = this.#clock.now()
    const lost = this.#table.all().filter((entry) => entry.inference.status === 'running' && entry.leaseUntil <= now)
    const requeued = lost.filter((entry) => this.#moveOn(entry, now) === 'requeued').length
    const overdue = this.#table.pending().filter((entry) => entry.queuedAt <= now - maxQueueMs)
    for (const entry of overdue) this.#table.complete(entry, { outcome: 'failed', error: waitedTooLong }, now)
    if (requeued > 0) this.#doorbell.ring()
    return { requeued, failed: lost.length - requeued + overdue.length }
  }

  async expire({ signal }: Options): Promise<ExpiryReport> {
    signal.throwIfAborted()
    const now = this.#clock.now()
    const expired = this.#table.all().filter((entry) => !entry.outputDeleted && isPast(entry, now))
    for (const entry of expired) entry.outputDeleted = true
    const forgotten = this.#table.all().filter((entry) => isPast(entry, now - recordRetentionMs))
    for (const { inference } of forgotten) this.#table.remove(inference.id)
    return { outputs: expired.flatMap(({ inference }) => inference.output?.key ?? []), deletedRecords: forgotten.length }
  }

  doorbell(timeoutMs: number, options: Options): Promise<void> {
    return this.#doorbell.wait(timeoutMs, options)
  }

  #checkRoom(accountId: string): void {
    if (this.#isDisabled(accountId)) throw accountDisabled()
    const { maxPending, maxPendingPerAccount = maxPending } = this.#limits
    const pending = this.#table.pending()
    if (pending.length >= maxPending) throw queueFull()
    const own = pending.filter(({ inference }) => inference.accountId === accountId)
    if (own.length >= maxPendingPerAccount) throw shareFull(maxPendingPerAccount)
  }

  #moveOn(entry: InferenceEntry, now: number): 'requeued' | 'failed' {
    if (!entry.cancelRequested) return this.#table.retry(entry, { lost: true, error: lostWorkers, delayMs: 0 }, now)
    this.#table.complete(entry, { outcome: 'cancelled', error: cancelled }, now)
    return 'failed'
  }

  #findEarlier({ accountId, idempotency, webhookUrl }: InferenceSubmission, now: number): InferenceEntry | null {
    if (idempotency === null) return null
    const entry = this.#table
      .all()
      .find(({ inference, idempotency: known }) => inference.accountId === accountId && known?.key === idempotency.key)
    if (entry === undefined) return null
    if (entry.inference.createdAt + outputRetentionMs <= now) {
      entry.idempotency = null
      return null
    }
    if (entry.idempotency?.fingerprint !== idempotency.fingerprint || entry.webhookUrl !== webhookUrl) throw idempotencyConflict()
    return entry
  }
}

function isPast({ inference }: InferenceEntry, time: number): boolean {
  return inference.expiresAt !== null && inference.expiresAt <= time
}
