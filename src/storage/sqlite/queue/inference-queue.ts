import { randomUUID } from 'node:crypto'
import { unreadableWork } from '../../../core/deferred/attempts.ts'
import { makeInferenceId } from '../../../core/deferred/inference-id.ts'
import { type Inference, inferenceKind, makePendingInference, type Progress } from '../../../core/inference.ts'
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
import type { Abortable } from '../../../core/waiting.ts'
import type { ClaimedRow, WantedWork } from '../../rows/inference-row.ts'
import { decodeWork, encodeWork, workFormat } from '../../work-format.ts'
import { WorkSignal } from '../../work-signal.ts'
import type { Writer } from '../writer/writer.ts'

/** A smaller change may be a correction of the clock. */
const jumpMs = 3000

/** The queue in SQLite; every method is one command on the writing connection. */
export class SqliteInferenceQueue implements InferenceQueue {
  readonly #writer: Writer
  readonly #clock: Clock
  readonly #limits: QueueLimits
  readonly #workSignal: WorkSignal
  #sweptAt = 0

  constructor(writer: Writer, { clock, limits }: { readonly clock: Clock; readonly limits: QueueLimits }) {
    this.#writer = writer
    this.#clock = clock
    this.#limits = limits
    this.#workSignal = new WorkSignal(clock)
  }

  async enqueue(submission: InferenceSubmission): Promise<{ readonly inference: Inference; readonly repeated: boolean }> {
    const { work, ...rest } = submission
    const now = this.#clock.now()
    const encoded = {
      ...rest,
      id: rest.id ?? makeInferenceId({ uuid: randomUUID(), accountId: rest.accountId, now }),
      kind: inferenceKind(work),
      model: work.request.model,
      body: encodeWork(submission),
      format: workFormat,
      traceparent: submission.traceparent,
      limits: this.#limits,
    }
    const earlier = await this.#writer.run('enqueue', encoded, now)
    this.#workSignal.notify()
    return earlier === null ? { inference: makePendingInference(encoded, now), repeated: false } : { inference: earlier, repeated: true }
  }

  async findEarlier({ accountId, idempotency, webhookUrl }: KeyedSubmission): Promise<Inference | null> {
    return this.#writer.run('findEarlier', { accountId, idempotency, webhookUrl }, this.#clock.now())
  }

  async claim(wanted: Omit<WantedWork, 'format'>): Promise<readonly Claim[]> {
    const rows = await this.#writer.run('claim', { ...wanted, format: workFormat }, this.#clock.now())
    return (await Promise.all(rows.map((row) => this.#decode(row)))).filter((claim) => claim !== null)
  }

  async renew(
    holds: readonly (Hold & { readonly progress: Progress | null })[],
    { leaseMs }: Abortable & { readonly leaseMs: number },
  ): Promise<RenewalReport> {
    return this.#writer.run('renew', { holds, leaseMs }, this.#clock.now())
  }

  async complete(hold: Hold, end: Booking & { readonly completion: Completion }): Promise<CompletionAnswer> {
    return this.#writer.run('complete', { ...bare(hold), ...end }, this.#clock.now())
  }

  async release(hold: Hold, end: Booking & { readonly delayMs: number }): Promise<ReleaseAnswer> {
    const answer = await this.#writer.run('release', { ...bare(hold), ...end }, this.#clock.now())
    this.#workSignal.notify()
    return answer
  }

  async hasten(ids: readonly string[]): Promise<void> {
    await this.#writer.run('hasten', { ids }, this.#clock.now())
    this.#workSignal.notify()
  }

  async retry(hold: Hold, end: Booking & { readonly failure: AttemptFailure }): Promise<ReleaseAnswer | 'failed'> {
    const answer = await this.#writer.run('retry', { ...bare(hold), ...end }, this.#clock.now())
    this.#workSignal.notify()
    return answer
  }

  async cancel(target: { readonly id: string; readonly accountId: string }): Promise<Inference | null> {
    return this.#writer.run('cancel', target, this.#clock.now())
  }

  async sweep(limits: { readonly maxQueueMs: number; readonly spared: readonly Hold[] }): Promise<SweepReport> {
    const now = this.#clock.now()
    const setBackMs = this.#sweptAt - now
    if (setBackMs > jumpMs) await this.#writer.run('endDelays', { setBackMs }, now)
    this.#sweptAt = now
    const report = await this.#writer.run('sweep', { ...limits, spared: limits.spared.map(bare) }, now)
    if (report.requeued > 0) this.#workSignal.notify()
    return report
  }

  async expire(): Promise<ExpiryReport> {
    return this.#writer.run('expire', {}, this.#clock.now())
  }

  waitForWork(timeoutMs: number, options: Abortable): Promise<void> {
    return this.#workSignal.wait(timeoutMs, options)
  }

  /** Decodes a claimed row. A damaged request fails here once, instead of failing one worker after another. */
  async #decode({ inference, body, deadlyAttempts }: ClaimedRow): Promise<Claim | null> {
    const hold = { id: inference.id, attempt: inference.attempt }
    try {
      const submission = { id: inference.id, accountId: inference.accountId, ...decodeWork(body) }
      return { ...hold, inference, load: () => submission, deadlyAttempts }
    } catch {
      const completion = { outcome: 'failed', error: unreadableWork } as const
      await this.#writer.run('complete', { ...hold, completion, usage: null }, this.#clock.now())
      return null
    }
  }
}

/** Removes the other fields of a claim, which cannot be sent to the writer's thread. */
function bare({ id, attempt }: Hold): Hold {
  return { id, attempt }
}
