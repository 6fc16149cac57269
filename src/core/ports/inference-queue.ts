import type { ErrorRecord } from '../error.ts'
import type { Inference, InferenceWork, OutputReference, Priority, Progress } from '../inference.ts'

export interface InferenceSubmission {
  /** The id that its reservation has; absent = a new one. */
  readonly id?: string
  readonly accountId: string
  readonly work: InferenceWork
  readonly priority: Priority
  /** Same key, fingerprint and webhook within 24 h give the same inference. */
  readonly idempotency: { readonly key: string; readonly fingerprint: string } | null
  /** Where to announce the completion, or null. */
  readonly webhookUrl: string | null
}

/** A worker's hold on a running inference; `attempt` is the fence. */
export interface Claim {
  readonly inference: Inference
  readonly work: InferenceWork
  readonly attempt: number
  /** Earlier attempts whose worker or engine died; over 0 the work is a suspect and runs alone on its model. */
  readonly lostAttempts: number
  /** Unix milliseconds by the store's clock. */
  readonly leaseUntil: number
}

export interface QueueLimits {
  /** Inferences that may be pending; more are refused. */
  readonly maxPending: number
  /** Inferences of one account that may be pending; absent = as many as of all. */
  readonly maxPendingPerAccount?: number
}

/** An attempt that ended without a result and may succeed next time. */
export interface AttemptFailure {
  /** Whether the worker or the engine died, rather than reported a failure. */
  readonly lost: boolean
  /** What the inference fails with when no attempt is left. */
  readonly error: ErrorRecord
  /** Wait before the next attempt. */
  readonly delayMs: number
}

export type Completion =
  | { readonly outcome: 'succeeded'; readonly output: OutputReference }
  | { readonly outcome: 'failed'; readonly error: ErrorRecord }
  | { readonly outcome: 'cancelled'; readonly error: ErrorRecord }

/** What happened to a claim while its worker was busy. */
export type ClaimState = 'held' | 'cancel-requested' | 'lost'

export interface SweepReport {
  /** Leases that ran out and went back to pending. */
  readonly requeued: number
  /** Inferences failed for having no attempt left, or for having waited too long. */
  readonly failed: number
}

export interface ExpiryReport {
  /** Keys of outputs that must now be deleted from the output store. */
  readonly outputs: readonly string[]
  /** Records deleted after their retention. */
  readonly deletedRecords: number
}

/** The durable queue of deferred inferences. A resolved promise means the change is on stable storage. */
export interface InferenceQueue {
  /**
   * @throws {ServiceError} `server_is_overloaded` when the queue is full, `concurrency_limit_exceeded` when the account has
   *   filled its share of it, `idempotency_conflict` when the key was
   *   used for another body.
   */
  enqueue(
    submission: InferenceSubmission,
    options: { readonly signal: AbortSignal },
  ): Promise<{ readonly inference: Inference; readonly repeated: boolean }>
  /** The next pending inference for one of these models, fair between accounts, or null. Starts an attempt. */
  claim(
    wanted: { readonly workerId: string; readonly models: readonly string[]; readonly leaseMs: number },
    options: { readonly signal: AbortSignal },
  ): Promise<Claim | null>
  /** Extends the lease and notes progress, unless the claim was lost. */
  renew(
    claim: Claim,
    update: { readonly leaseMs: number; readonly progress: Progress | null },
    options: { readonly signal: AbortSignal },
  ): Promise<ClaimState>
  /** Completes a running inference whose attempt is still the claim's; false when it no longer is. */
  complete(claim: Claim, completion: Completion, options: { readonly signal: AbortSignal }): Promise<boolean>
  /** Puts a claimed inference back to pending without counting the attempt, claimable after `delayMs`; false when no longer held. */
  release(claim: Claim, options: { readonly signal: AbortSignal; readonly delayMs?: number }): Promise<boolean>
  /** Counts the attempt and puts the inference back to pending, or completes it as failed when none is left. */
  retry(claim: Claim, failure: AttemptFailure, options: { readonly signal: AbortSignal }): Promise<'requeued' | 'failed' | 'not-held'>
  /** Pending: completes it as cancelled. Running: asks its worker to. Completed: leaves it. Returns the record, null when unknown. */
  cancel(target: { readonly id: string; readonly accountId: string }, options: { readonly signal: AbortSignal }): Promise<Inference | null>
  /** Moves lost leases on and fails what waited too long. */
  sweep(limits: { readonly maxQueueMs: number }, options: { readonly signal: AbortSignal }): Promise<SweepReport>
  /** Takes the outputs of some records whose retention is over, and deletes some old records; nothing left when it reports none. */
  expire(options: { readonly signal: AbortSignal }): Promise<ExpiryReport>
  /** Resolves when something may have become claimable, or after `timeoutMs`. */
  doorbell(timeoutMs: number, options: { readonly signal: AbortSignal }): Promise<void>
}
