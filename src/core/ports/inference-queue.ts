import type { ErrorRecord } from '../error.ts'
import type { Inference, InferenceWork, OutputReference, Priority, Progress, Submission } from '../inference.ts'
import type { ModelDescriptor } from '../model.ts'
import type { UsageEntry } from '../usage.ts'
import type { Abortable } from '../waiting.ts'

export interface InferenceSubmission extends Omit<Submission<InferenceWork>, 'id'> {
  /** Absent = generate one. */
  readonly id?: string
  readonly priority: Priority
  /** Expected maximum size of the output; counts against the account's storage until the output is stored; absent = 0. */
  readonly outputBytes?: number
  /** The same key, fingerprint and webhook within 24 h return the same inference. */
  readonly idempotency: { readonly key: string; readonly fingerprint: string } | null
  /** URL to notify of completion, or null. */
  readonly webhookUrl: string | null
}

/** The fields by which a repeated submission is recognized. */
export type KeyedSubmission = Pick<InferenceSubmission, 'accountId' | 'idempotency' | 'webhookUrl'>

/** Identifies one claim of an inference; `attempt` is the fencing token. */
export interface Hold {
  readonly id: string
  readonly attempt: number
}

/** A worker's claim of a running inference. */
export interface Claim extends Hold {
  readonly inference: Inference
  /**
   * Loads the submission, which may be stored outside the record.
   *
   * @throws {ServiceError} `server_is_overloaded` if it cannot be read now, `internal_error` if it is damaged or missing.
   */
  load(options: Abortable): Submission<InferenceWork> | Promise<Submission<InferenceWork>>
  /** Earlier attempts that killed their engine; above 0 the work runs alone on its model. */
  readonly deadlyAttempts: number
}

/** Free capacity of a worker for one model. */
export interface ModelRoom {
  readonly model: string
  readonly room: number
  /** Claim only work submitted at least this long ago; absent = any. */
  readonly waitedMs?: number
  /** Claim only work for this kind of model; absent = either. */
  readonly kind?: ModelDescriptor['kind'] | undefined
}

export interface QueueLimits {
  /** Maximum number of pending inferences; more are refused. */
  readonly maxPending: number
  /** Maximum number of pending inferences per account; absent = as in total. */
  readonly maxPendingPerAccount?: number
  /** Maximum stored bytes per account: waiting and running work, its expected outputs, and outputs; absent = unlimited. */
  readonly maxStoredBytesPerAccount?: number
}

/** A failed attempt that may succeed when retried. */
export interface AttemptFailure {
  /** Whether the engine died, rather than reported a failure. */
  readonly deadly: boolean
  /** The error of the inference if no attempt is left. */
  readonly error: ErrorRecord
  /** What the attempt had written, kept if no attempt is left; absent = nothing. */
  readonly output?: OutputReference
  /** Delay before the next attempt. */
  readonly delayMs: number
}

export type Completion =
  | { readonly outcome: 'succeeded'; readonly output: OutputReference }
  /** `output` is the part of a text written before the failure; absent = none. */
  | { readonly outcome: 'failed'; readonly error: ErrorRecord; readonly output?: OutputReference }
  | { readonly outcome: 'cancelled'; readonly error: ErrorRecord }

/** `already-mine` = a repeated completion whose answer was lost; `lost` = another attempt or a sweep came first. */
export type CompletionAnswer = 'completed' | 'already-mine' | 'lost'

/** Result of a release; `cancelled` = cancellation was requested meanwhile. */
export type ReleaseAnswer = 'requeued' | 'cancelled' | 'lost'

/** The usage entry to write in the same commit if the inference ends; null = none. */
export interface Booking {
  readonly usage: UsageEntry | null
}

/** Claims that their worker must abandon. */
export interface RenewalReport {
  /** Cancellation was requested; still held. */
  readonly cancelRequested: readonly Hold[]
  /** No longer held. */
  readonly lost: readonly Hold[]
}

export interface SweepReport {
  /** Inferences requeued after their lease expired. */
  readonly requeued: number
  /** Inferences failed because no attempt was left or they waited too long. */
  readonly failed: number
}

export interface ExpiryReport {
  /** Keys of outputs to delete from the output store. */
  readonly outputs: readonly string[]
  /** Number of records deleted after their retention. A store may keep such records longer, but no longer finds them. */
  readonly deletedRecords: number
}

/** The durable queue of deferred inferences. A change is on stable storage when its promise resolves. */
export interface InferenceQueue {
  /**
   * @throws {ServiceError} `server_is_overloaded` if the queue is full, `concurrency_limit_exceeded` if the account's share is full,
   * `quota_exceeded` if its storage is full, `idempotency_conflict` if the key was used for another body.
   */
  enqueue(submission: InferenceSubmission, options: Abortable): Promise<{ readonly inference: Inference; readonly repeated: boolean }>
  /**
   * The inference that {@link enqueue} would return for a repeated submission; null = none.
   *
   * @throws {ServiceError} `idempotency_conflict`.
   */
  findEarlier(submission: KeyedSubmission, options: Abortable): Promise<Inference | null>
  /**
   * Claims the next pending inferences for these models, at most `limit` and within the capacity of each, in the order in which accounts
   * take turns, and starts an attempt of each. Work in an unknown format is left for newer versions.
   */
  claim(
    wanted: { readonly workerId: string; readonly rooms: readonly ModelRoom[]; readonly limit: number; readonly leaseMs: number },
    options: Abortable,
  ): Promise<readonly Claim[]>
  /** Extends the leases of all claims of a worker and stores progress; returns the claims to abandon. */
  renew(
    holds: readonly (Hold & { readonly progress: Progress | null })[],
    options: { readonly signal: AbortSignal; readonly leaseMs: number },
  ): Promise<RenewalReport>
  /** Completes an inference that is still held, records its usage and creates its webhook delivery, in one commit. */
  complete(hold: Hold, end: Booking & { readonly completion: Completion }, options: Abortable): Promise<CompletionAnswer>
  /** Requeues a claimed inference without counting the attempt, claimable after `delayMs`; it keeps its age. */
  release(hold: Hold, end: Booking & { readonly delayMs: number }, options: Abortable): Promise<ReleaseAnswer>
  /** Makes released inferences claimable now instead of after their delay. */
  hasten(ids: readonly string[], options: Abortable): Promise<void>
  /** Counts the attempt and requeues the inference, or completes it as failed if no attempt is left. */
  retry(hold: Hold, end: Booking & { readonly failure: AttemptFailure }, options: Abortable): Promise<ReleaseAnswer | 'failed'>
  /**
   * Cancels an inference. Pending: completes it as cancelled. Running: asks its worker to cancel. Completed: no effect. Returns the record,
   * null if unknown.
   */
  cancel(target: { readonly id: string; readonly accountId: string }, options: Abortable): Promise<Inference | null>
  /**
   * Requeues or fails inferences with expired leases, except those the caller still holds, and fails those that waited too long since
   * submission.
   */
  sweep(limits: { readonly maxQueueMs: number; readonly spared: readonly Hold[] }, options: Abortable): Promise<SweepReport>
  /** Takes some outputs past their retention and deletes some old records; repeat until it reports none. */
  expire(options: Abortable): Promise<ExpiryReport>
  /** Resolves when work may have become claimable, or after `timeoutMs`. */
  waitForWork(timeoutMs: number, options: Abortable): Promise<void>
}
