import { randomUUID } from 'node:crypto'
import type { Inference, Progress } from '../../../core/inference.ts'
import type { Clock } from '../../../core/ports/clock.ts'
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
} from '../../../core/ports/inference-queue.ts'
import { Doorbell } from '../../doorbell.ts'
import { decodeWork, encodeWork } from '../../work-format.ts'
import type { Writer } from '../writer/writer.ts'

type Options = { readonly signal: AbortSignal }

/** The queue in SQLite: every method is one command of the writing connection. */
export class SqliteInferenceQueue implements InferenceQueue {
  readonly #writer: Writer
  readonly #clock: Clock
  readonly #limits: QueueLimits
  readonly #doorbell: Doorbell

  constructor(writer: Writer, { clock, limits }: { readonly clock: Clock; readonly limits: QueueLimits }) {
    this.#writer = writer
    this.#clock = clock
    this.#limits = limits
    this.#doorbell = new Doorbell(clock)
  }

  async enqueue(
    submission: InferenceSubmission,
    { signal }: Options,
  ): Promise<{ readonly inference: Inference; readonly repeated: boolean }> {
    signal.throwIfAborted()
    const { work, ...rest } = submission
    const encoded = {
      ...rest,
      id: rest.id ?? randomUUID(),
      kind: work.kind,
      model: work.request.model,
      body: encodeWork(work),
      limits: this.#limits,
    }
    const result = await this.#writer.run('enqueue', encoded, this.#clock.now())
    this.#doorbell.ring()
    return result
  }

  async claim(
    wanted: { readonly workerId: string; readonly models: readonly string[]; readonly leaseMs: number },
    { signal }: Options,
  ): Promise<Claim | null> {
    signal.throwIfAborted()
    const row = await this.#writer.run('claim', wanted, this.#clock.now())
    if (row === null) return null
    const { body, ...claim } = row
    return { ...claim, attempt: claim.inference.attempt, work: decodeWork(body) }
  }

  async renew(
    claim: Claim,
    update: { readonly leaseMs: number; readonly progress: Progress | null },
    { signal }: Options,
  ): Promise<ClaimState> {
    signal.throwIfAborted()
    return this.#writer.run('renew', { ...holdOf(claim), ...update }, this.#clock.now())
  }

  async complete(claim: Claim, completion: Completion, { signal }: Options): Promise<boolean> {
    signal.throwIfAborted()
    return this.#writer.run('complete', { ...holdOf(claim), completion }, this.#clock.now())
  }

  async release(claim: Claim, { signal, delayMs = 0 }: Options & { readonly delayMs?: number }): Promise<boolean> {
    signal.throwIfAborted()
    const released = await this.#writer.run('release', { ...holdOf(claim), delayMs }, this.#clock.now())
    this.#doorbell.ring()
    return released
  }

  async retry(claim: Claim, failure: AttemptFailure, { signal }: Options): Promise<'requeued' | 'failed' | 'not-held'> {
    signal.throwIfAborted()
    const decision = await this.#writer.run('retry', { ...holdOf(claim), failure }, this.#clock.now())
    this.#doorbell.ring()
    return decision
  }

  async cancel(target: { readonly id: string; readonly accountId: string }, { signal }: Options): Promise<Inference | null> {
    signal.throwIfAborted()
    return this.#writer.run('cancel', target, this.#clock.now())
  }

  async sweep(limits: { readonly maxQueueMs: number }, { signal }: Options): Promise<SweepReport> {
    signal.throwIfAborted()
    const report = await this.#writer.run('sweep', limits, this.#clock.now())
    if (report.requeued > 0) this.#doorbell.ring()
    return report
  }

  async expire({ signal }: Options): Promise<ExpiryReport> {
    signal.throwIfAborted()
    return this.#writer.run('expire', {}, this.#clock.now())
  }

  doorbell(timeoutMs: number, options: Options): Promise<void> {
    return this.#doorbell.wait(timeoutMs, options)
  }
}

function holdOf({ inference, attempt }: Claim): { readonly id: string; readonly attempt: number } {
  return { id: inference.id, attempt }
}
