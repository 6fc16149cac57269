import { accountDisabled } from '../../core/account-disabled.ts'
import { mayRetry } from '../../core/attempt-policy.ts'
import { type Inference, outputRetentionMs, type Progress, recordRetentionMs } from '../../core/inference.ts'
import { cancelled, waitedTooLong, workerLost } from '../../core/inference-failure.ts'
import type { AccountLimits } from '../../core/limits/use-limits.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type {
  AttemptFailure,
  Booking,
  Claim,
  Completion,
  CompletionAnswer,
  ExpiryReport,
  Hold,
  InferenceQueue,
  InferenceSubmission,
  ModelRoom,
  QueueLimits,
  ReleaseAnswer,
  RenewalReport,
  SweepReport,
} from '../../core/ports/inference-queue.ts'
import type { UsageEntry } from '../../core/usage.ts'
import { Doorbell } from '../doorbell.ts'
import { idempotencyConflict, queueFull, shareFull, storageFull } from '../refuse-submission.ts'
import { type InferenceEntry, makeEntry, storedBytes } from './inference-entry.ts'
import type { InferenceTable } from './inference-table.ts'
import type { Turns } from './turns.ts'
import type { MemoryUsageLog } from './usage-log.ts'

type Options = { readonly signal: AbortSignal }

interface MemoryQueueSettings {
  readonly clock: Clock
  readonly limits: QueueLimits
  readonly isDisabled: (accountId: string) => boolean
  readonly limitsOf: (accountId: string) => AccountLimits
}

/** The queue in memory: the same behaviour, gone with the process. */
export class MemoryInferenceQueue implements InferenceQueue {
  readonly #table: InferenceTable
  readonly #turns: Turns
  readonly #usage: MemoryUsageLog
  readonly #clock: Clock
  readonly #limits: QueueLimits
  readonly #isDisabled: (accountId: string) => boolean
  readonly #limitsOf: (accountId: string) => AccountLimits
  readonly #doorbell: Doorbell
  #seq = 0

  constructor(
    { table, turns, usage }: { readonly table: InferenceTable; readonly turns: Turns; readonly usage: MemoryUsageLog },
    { clock, limits, isDisabled, limitsOf }: MemoryQueueSettings,
  ) {
    this.#table = table
    this.#turns = turns
    this.#usage = usage
    this.#clock = clock
    this.#limits = limits
    this.#isDisabled = isDisabled
    this.#limitsOf = limitsOf
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
    const entry = makeEntry(submission, { now, seq: ++this.#seq })
    this.#checkRoom(entry)
    this.#table.add(entry)
    this.#doorbell.ring()
    return { inference: entry.inference, repeated: false }
  }

  async claim(
    {
      rooms,
      limit,
      leaseMs,
    }: { readonly workerId: string; readonly rooms: readonly ModelRoom[]; readonly limit: number; readonly leaseMs: number },
    { signal }: Options,
  ): Promise<readonly Claim[]> {
    signal.throwIfAborted()
    const now = this.#clock.now()
    const left = new Map(rooms.map(({ model, room }) => [model, room]))
    const waits = new Map(rooms.map(({ model, waitedMs = 0 }) => [model, waitedMs]))
    const hasWaited = ({ model, createdAt }: Inference) => createdAt > now || now - createdAt >= (waits.get(model) ?? 0)
    const kinds = new Map(rooms.map(({ model, kind }) => [model, kind]))
    const fits = ({ model, kind }: Inference) => kinds.get(model) === undefined || (kinds.get(model) === 'image') === (kind === 'image')
    const claims: Claim[] = []
    while (claims.length < limit) {
      const ready = this.#table
        .pending()
        .filter(
          ({ inference, notBefore }) => (left.get(inference.model) ?? 0) > 0 && notBefore <= now && hasWaited(inference) && fits(inference),
        )
      const entry = this.#turns.choose(ready, { now, weightOf: (accountId) => this.#limitsOf(accountId).weight ?? 1 })
      if (entry === null || entry.work === null) return claims
      const { id, model } = entry.inference
      left.set(model, (left.get(model) ?? 0) - 1)
      const attempt = entry.inference.attempt + 1
      entry.inference = { ...entry.inference, status: 'running', attempt, startedAt: now, progress: null }
      entry.leaseUntil = now + leaseMs
      const { inference, work, deadly: deadlyAttempts } = entry
      claims.push({ id, attempt, inference, loadWork: () => work, deadlyAttempts })
    }
    return claims
  }

  async renew(
    holds: readonly (Hold & { readonly progress: Progress | null })[],
    { leaseMs, signal }: Options & { readonly leaseMs: number },
  ): Promise<RenewalReport> {
    signal.throwIfAborted()
    const [cancelRequested, lost]: [Hold[], Hold[]] = [[], []]
    for (const { id, attempt, progress } of holds) {
      const entry = this.#table.held({ id, attempt })
      if (entry === null) {
        lost.push({ id, attempt })
        continue
      }
      entry.leaseUntil = this.#clock.now() + leaseMs
      entry.inference = { ...entry.inference, progress: progress ?? entry.inference.progress }
      if (entry.cancelRequested) cancelRequested.push({ id, attempt })
    }
    return { cancelRequested, lost }
  }

  async complete(
    hold: Hold,
    { completion, usage }: Booking & { readonly completion: Completion },
    { signal }: Options,
  ): Promise<CompletionAnswer> {
    signal.throwIfAborted()
    return this.#complete(hold, completion, usage)
  }

  async release(hold: Hold, { delayMs, usage }: Booking & { readonly delayMs: number }, { signal }: Options): Promise<ReleaseAnswer> {
    signal.throwIfAborted()
    return this.#release(hold, delayMs, usage)
  }

  async hasten(ids: readonly string[], { signal }: Options): Promise<void> {
    signal.throwIfAborted()
    for (const entry of this.#table.pending()) if (ids.includes(entry.inference.id)) entry.notBefore = 0
    this.#doorbell.ring()
  }

  async retry(
    hold: Hold,
    { failure, usage }: Booking & { readonly failure: AttemptFailure },
    { signal }: Options,
  ): Promise<ReleaseAnswer | 'failed'> {
    signal.throwIfAborted()
    return this.#retry(hold, failure, usage)
  }

  async cancel({ id, accountId }: { readonly id: string; readonly accountId: string }, { signal }: Options): Promise<Inference | null> {
    signal.throwIfAborted()
    const entry = this.#table.find(id, accountId)
    if (entry === null) return null
    if (entry.inference.status === 'pending') this.#table.complete(entry, { outcome: 'cancelled', error: cancelled }, this.#clock.now())
    if (entry.inference.status === 'running') entry.cancelRequested = true
    return entry.inference
  }

  async sweep(
    { maxQueueMs, spared }: { readonly maxQueueMs: number; readonly spared: readonly Hold[] },
    { signal }: Options,
  ): Promise<SweepReport> {
    signal.throwIfAborted()
    const now = this.#clock.now()
    const isSpared = ({ id, attempt }: Hold) => spared.some((hold) => hold.id === id && hold.attempt === attempt)
    const lost = this.#table
      .all()
      .filter(({ inference, leaseUntil }) => inference.status === 'running' && leaseUntil <= now && !isSpared(inference))
    const requeued = lost.filter(({ inference }) => this.#retry(inference, workerLost, null) === 'requeued').length
    const overdue = this.#table.pending().filter((entry) => entry.inference.createdAt <= now - maxQueueMs)
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

  #checkRoom(entry: InferenceEntry): void {
    const { accountId } = entry.inference
    if (this.#isDisabled(accountId)) throw accountDisabled()
    const { maxPending, maxPendingPerAccount = maxPending, maxStoredBytesPerAccount = Number.POSITIVE_INFINITY } = this.#limits
    const { pendingRequests, storedBytes: ownBytes } = this.#limitsOf(accountId)
    const most = ownBytes ?? maxStoredBytesPerAccount
    const pending = this.#table.pending()
    if (pending.length >= maxPending) throw queueFull()
    const own = pending.filter(({ inference }) => inference.accountId === accountId)
    const mostPending = pendingRequests ?? maxPendingPerAccount
    if (own.length >= mostPending) throw shareFull(mostPending, { own: pendingRequests !== null })
    const kept = this.#table.all().filter(({ inference }) => inference.accountId === accountId)
    const stored = [...kept, entry].reduce((sum, each) => sum + storedBytes(each), 0)
    if (stored > most) throw storageFull(stored, most, { own: ownBytes !== null })
  }

  #complete({ id, attempt }: Hold, completion: Completion, usage: UsageEntry | null): CompletionAnswer {
    const entry = this.#table.held({ id, attempt })
    if (entry === null) return this.#table.isCompletedBy({ id, attempt }, completion) ? 'already-mine' : 'lost'
    this.#table.complete(entry, completion, this.#clock.now())
    if (usage !== null) this.#usage.book({ ...usage, outcome: completion.outcome })
    return 'completed'
  }

  #release({ id, attempt }: Hold, delayMs: number, usage: UsageEntry | null): ReleaseAnswer {
    const entry = this.#table.held({ id, attempt })
    this.#doorbell.ring()
    if (entry === null || entry.cancelRequested)
      return this.#complete({ id, attempt }, { outcome: 'cancelled', error: cancelled }, usage) === 'lost' ? 'lost' : 'cancelled'
    this.#table.putBack(entry, { delayMs, now: this.#clock.now() })
    return 'requeued'
  }

  #retry({ id, attempt }: Hold, { deadly, error, delayMs }: AttemptFailure, usage: UsageEntry | null): ReleaseAnswer | 'failed' {
    const entry = this.#table.held({ id, attempt })
    if (entry !== null) entry[deadly ? 'deadly' : 'failed'] += 1
    if (entry !== null && (entry.cancelRequested || mayRetry(entry))) return this.#release({ id, attempt }, delayMs, usage)
    return this.#complete({ id, attempt }, { outcome: 'failed', error }, usage) === 'lost' ? 'lost' : 'failed'
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
