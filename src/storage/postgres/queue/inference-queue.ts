import { randomUUID } from 'node:crypto'
import { unreadableWork } from '../../../core/deferred/attempts.ts'
import { makeInferenceId } from '../../../core/deferred/inference-id.ts'
import { type Inference, inferenceKind, type Progress } from '../../../core/inference.ts'
import type { Clock } from '../../../core/ports/clock.ts'
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
  KeyedSubmission,
  QueueLimits,
  ReleaseAnswer,
  RenewalReport,
  SweepReport,
} from '../../../core/ports/inference-queue.ts'
import type { OutputStore } from '../../../core/ports/output-store.ts'
import type { Abortable } from '../../../core/waiting.ts'
import type { ClaimedRow, WantedWork } from '../../rows/inference-row.ts'
import { repeatable } from '../../tables/statements.ts'
import { decodeReference, decodeWork, encodeWork, referenceFormat, workFormat } from '../../work-format.ts'
import { WorkSignal } from '../../work-signal.ts'
import { type Database, limitMs } from '../database.ts'
import { DatabaseClock } from '../database-clock.ts'
import { Grouping } from '../grouping.ts'
import type { Notifier } from '../notifier.ts'
import { claim, returnClaims } from './claim.ts'
import { type Enqueued, enqueueGroup, findEarlier } from './enqueue.ts'
import { type End, finish } from './finish.ts'
import { cancel, release, renew, retry } from './hold.ts'
import { LargeWork, rowLimitMs } from './large-work.ts'
import type { EncodedSubmission, QueuePlaces } from './queue-places.ts'
import { endWaiting, expire, sweep } from './sweep.ts'

/** Time all nodes need to renew their leases after the database returns; leases that expire meanwhile do not count as lost. */
const renewalMs = 3000
/** A sweep of this duration was blocked, as renewals may have been. */
const stalledMs = 1000

/** Concurrent groups of submissions and of completions, and entries per group. */
const groups = { lanes: 2, most: 256 }

/** The queue of all nodes; concurrent submissions or completions share a commit. */
export class PostgresInferenceQueue implements InferenceQueue {
  readonly #database: Database
  readonly #clock: Clock
  readonly #places: QueuePlaces
  readonly #notifier: Notifier
  readonly #workSignal: WorkSignal
  readonly #submitting: Grouping<EncodedSubmission, Enqueued>
  readonly #finishing: Grouping<End, CompletionAnswer>
  /** Claims whose answers were lost; they are undone before the next claim. */
  readonly #lostClaims = new Set<string>()
  #largeWork: LargeWork | null = null

  constructor(
    database: Database,
    {
      clock,
      limits,
      places,
      notifier,
    }: { readonly clock: Clock; readonly limits: QueueLimits; readonly places: QueuePlaces; readonly notifier: Notifier },
  ) {
    this.#database = database
    this.#clock = clock
    this.#places = places
    this.#notifier = notifier
    this.#workSignal = new WorkSignal(clock)
    notifier.onWork(() => this.#workSignal.notify())
    this.#submitting = new Grouping((all, deadline) => enqueueGroup(database.until(deadline), all, { limits, now: clock.now() }), {
      ...groups,
      keyOf: ({ accountId }) => accountId,
    })
    this.#finishing = new Grouping((ends, deadline) => this.#finishGroup(ends, deadline), groups)
  }

  /** Stores large work in the output store from now on. */
  keepLargeWorkIn(outputs: OutputStore): void {
    this.#largeWork = new LargeWork({ database: this.#database, outputs, clock: this.#clock })
  }

  async enqueue(
    submission: InferenceSubmission,
    { signal }: Abortable,
  ): Promise<{ readonly inference: Inference; readonly repeated: boolean }> {
    const deadline = performance.now() + limitMs
    const { work, accountId } = submission
    const id = submission.id ?? makeInferenceId({ uuid: randomUUID(), accountId, now: this.#clock.now() })
    const bytes = encodeWork(submission)
    const reference = (await this.#largeWork?.put(id, bytes, { signal })) ?? null
    const body = reference === null ? { body: bytes, format: workFormat } : { body: reference, format: referenceFormat }
    const encoded = {
      ...submission,
      ...body,
      id,
      kind: inferenceKind(work),
      model: work.request.model,
      workBytes: bytes.length,
      traceparent: submission.traceparent,
    }
    // A submission without an answer may have been committed, so its work stays until the sweep of orphaned outputs.
    const result = await this.#submitting.add(encoded, Math.max(deadline, performance.now() + rowLimitMs))
    if (reference !== null && (result instanceof Error || result.repeated)) this.#largeWork?.forget([reference])
    if (result instanceof Error) throw result
    this.#workCame()
    return result
  }

  async findEarlier(submission: KeyedSubmission): Promise<Inference | null> {
    return findEarlier(this.#database, submission, this.#clock.now())
  }

  async claim(wanted: Omit<WantedWork, 'format'>): Promise<readonly Claim[]> {
    const rows = await this.#claim(wanted).catch(() => this.#claim(wanted))
    if (rows.length > 0) this.#places.forget()
    return (await Promise.all(rows.map((row) => this.#decode(row)))).filter((each) => each !== null)
  }

  async #claim(wanted: Omit<WantedWork, 'format'>): Promise<readonly ClaimedRow[]> {
    await this.#returnLostClaims()
    const name = randomUUID()
    const format = this.#largeWork === null ? workFormat : referenceFormat
    return claim(this.#database, { ...wanted, format, claim: name }, this.#clock.now()).catch((error: unknown) => {
      this.#lostClaims.add(name)
      throw error
    })
  }

  async renew(
    holds: readonly (Hold & { readonly progress: Progress | null })[],
    { leaseMs }: Abortable & { readonly leaseMs: number },
  ): Promise<RenewalReport> {
    return renew(this.#database, { holds, leaseMs }, this.#clock.now())
  }

  async complete({ id, attempt }: Hold, end: Booking & { readonly completion: Completion }): Promise<CompletionAnswer> {
    return this.#finishing.add({ id, attempt, ...end })
  }

  async release({ id, attempt }: Hold, end: Booking & { readonly delayMs: number }): Promise<ReleaseAnswer> {
    const answer = await release(this.#deps(), { id, attempt, ...end }, this.#clock.now())
    this.#workCame()
    return answer
  }

  async hasten(ids: readonly string[]): Promise<void> {
    const sql = 'update queue set not_before = 0 where id = any(:ids::uuid[]) and not running and not_before > 0'
    await this.#database.run(sql, { ids }, repeatable)
    this.#workCame()
  }

  async retry({ id, attempt }: Hold, end: Booking & { readonly failure: AttemptFailure }): Promise<ReleaseAnswer | 'failed'> {
    const answer = await retry(this.#deps(), { id, attempt, ...end }, this.#clock.now())
    this.#workCame()
    return answer
  }

  async cancel(target: { readonly id: string; readonly accountId: string }): Promise<Inference | null> {
    return cancel({ database: this.#database, finish: (end) => this.#finishing.add(end) }, target, () => this.#clock.now())
  }

  async sweep(limits: { readonly maxQueueMs: number; readonly spared: readonly Hold[] }): Promise<SweepReport> {
    const requestedAt = performance.now()
    // After the clock was set back, all leases of others would seem expired.
    if (this.#clock instanceof DatabaseClock) await this.#clock.correct()
    const mayReclaim = () => this.#database.calmMs() >= renewalMs && performance.now() - requestedAt < stalledMs
    const report = await this.#database.transaction((statements) => sweep(statements, { ...limits, mayReclaim }, this.#clock.now()))
    if (report.requeued > 0) this.#workCame()
    return report
  }

  async expire(): Promise<ExpiryReport> {
    return expire(this.#database, this.#clock.now())
  }

  waitForWork(timeoutMs: number, options: Abortable): Promise<void> {
    return this.#workSignal.wait(timeoutMs, options)
  }

  /** Ends the waiting work of an account. */
  async endWaiting(accountId: string): Promise<void> {
    await endWaiting(this.#database, accountId, this.#clock.now())
    this.#places.forget()
  }

  #deps() {
    return { statements: this.#database, finish: (end: End) => this.#finishing.add(end) }
  }

  #workCame(): void {
    this.#places.forget()
    this.#workSignal.notify()
    this.#notifier.notifyWork()
  }

  async #finishGroup(ends: readonly End[], deadline: number): Promise<readonly CompletionAnswer[]> {
    const references: Uint8Array[] = []
    const answers = await finish(this.#database.until(deadline), ends, this.#clock.now(), (reference) => references.push(reference))
    this.#largeWork?.forget(references)
    this.#places.forget()
    this.#notifier.notifyEnded(ends.filter((_, index) => answers[index] === 'completed').map(({ id }) => id))
    return answers
  }

  async #returnLostClaims(): Promise<void> {
    if (this.#lostClaims.size === 0) return
    const claims = [...this.#lostClaims]
    await returnClaims(this.#database, claims)
    for (const each of claims) this.#lostClaims.delete(each)
  }

  /** Decodes a claimed row. A damaged request fails here once, instead of failing one worker after another. */
  async #decode({ inference, body, deadlyAttempts }: ClaimedRow): Promise<Claim | null> {
    const { id, accountId, attempt } = inference
    const [hold, holder] = [
      { id, attempt },
      { id, accountId },
    ]
    try {
      const [large, stored] = [this.#largeWork, decodeReference(body)]
      if (stored !== null && large !== null)
        return { ...hold, inference, load: async (options) => ({ ...holder, ...(await large.load(stored, options)) }), deadlyAttempts }
      const submission = { ...holder, ...decodeWork(body) }
      return { ...hold, inference, load: () => submission, deadlyAttempts }
    } catch {
      await this.#finishing.add({ ...hold, completion: { outcome: 'failed', error: unreadableWork }, usage: null })
      return null
    }
  }
}
