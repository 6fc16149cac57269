import type { ErrorRecord } from '../error.ts'
import type { Inference, InferenceWork, OutputReference, Priority, Progress, Submission } from '../inference.ts'
import type { ModelDescriptor } from '../model.ts'
import type { UsageEntry } from '../usage.ts'

export interface InferenceSubmission extends Omit<Submission<InferenceWork>, 'id'> {
  /** Absent = a new one. */
  readonly id?: string
  readonly priority: Priority
  /** What its output is expected to take at most; counts against the account's storage until the output is there; absent = nothing. */
  readonly outputBytes?: number
  /** Same key, fingerprint and webhook within 24 h give the same inference. */
  readonly idempotency: { readonly key: string; readonly fingerprint: string } | null
  /** Where to announce the completion, or null. */
  readonly webhookUrl: string | null
}

/** What tells a claim from every earlier and later one of the same inference; `attempt` is the fence. */
export interface Hold {
  readonly id: string
  readonly attempt: number
}

/** A worker's hold on a running inference. */
export interface Claim extends Hold {
  readonly inference: Inference
  /**
   * What was submitted; a promise of it where it lies elsewhere than the record.
   *
   * @throws {ServiceError} `server_is_overloaded` when it cannot be read now, `internal_error` when it is damaged or gone.
   */
  load(options: { readonly signal: AbortSignal }): Submission<InferenceWork> | Promise<Submission<InferenceWork>>
  /** Earlier attempts that killed their engine; over 0 the work is a suspect and runs alone on its model. */
  readonly deadlyAttempts: number
}

/** How many more inferences a worker can run on one model. */
export interface ModelRoom {
  readonly model: string
  readonly room: number
  /** Takes only what was submitted at least so long ago; absent = anything. */
  readonly waitedMs?: number
  /** Takes only work for a model of this kind; absent = of either. */
  readonly kind?: ModelDescriptor['kind'] | undefined
}

export interface QueueLimits {
  /** Inferences that may be pending; more are refused. */
  readonly maxPending: number
  /** Inferences of one account that may be pending; absent = as many as of all. */
  readonly maxPendingPerAccount?: number
  /** Bytes that one account may have stored: work that waits or runs, what its outputs are expected to take, and outputs; absent = any. */
  readonly maxStoredBytesPerAccount?: number
}

/** An attempt that ended without a result and may succeed next time. */
export interface AttemptFailure {
  /** Whether the engine died of it, rather than reported a failure. */
  readonly deadly: boolean
  /** What the inference fails with when no attempt is left. */
  readonly error: ErrorRecord
  /** Wait before the next attempt. */
  readonly delayMs: number
}

export type Completion =
  | { readonly outcome: 'succeeded'; readonly output: OutputReference }
  | { readonly outcome: 'failed'; readonly error: ErrorRecord }
  | { readonly outcome: 'cancelled'; readonly error: ErrorRecord }

/** `already-mine` repeats a completion whose answer got lost; `lost` when another attempt or a sweep was faster. */
export type CompletionAnswer = 'completed' | 'already-mine' | 'lost'

/** What became of an inference that its worker gave back; `cancelled` when that was asked for meanwhile. */
export type ReleaseAnswer = 'requeued' | 'cancelled' | 'lost'

/** What the books get in the same commit, should the inference end with it; null = nothing. */
export interface Booking {
  readonly usage: UsageEntry | null
}

/** Claims that their worker must let go of. */
export interface RenewalReport {
  /** The caller asked to cancel them; still held. */
  readonly cancelRequested: readonly Hold[]
  /** No longer held. */
  readonly lost: readonly Hold[]
}

export interface SweepReport {
  /** Leases that ran out and went back to pending. */
  readonly requeued: number
  /** Inferences failed for having no attempt left, or for having waited too long. */
  readonly failed: number
}

export interface ExpiryReport {
  /** Keys of outputs that must now be deleted from the output store. */
  readonly outputs: readonly string[]
  /** Records deleted after their retention; a store may keep them longer, and find them no more. */
  readonly deletedRecords: number
}

/** The durable queue of deferred inferences. A resolved promise means the change is on stable storage. */
export interface InferenceQueue {
  /**
   * @throws {ServiceError} `server_is_overloaded` when the queue is full, `concurrency_limit_exceeded` when the account has
   *   filled its share of it, `quota_exceeded` when it may store no more, `idempotency_conflict` when the key was
   *   used for another body.
   */
  enqueue(
    submission: InferenceSubmission,
    options: { readonly signal: AbortSignal },
  ): Promise<{ readonly inference: Inference; readonly repeated: boolean }>
  /**
   * The next pending inferences for these models, at most `limit` and as many of each as it has room, in the order in which
   * accounts take turns. Starts an attempt of each. Work in a format that this version cannot read is left for one that can.
   */
  claim(
    wanted: { readonly workerId: string; readonly rooms: readonly ModelRoom[]; readonly limit: number; readonly leaseMs: number },
    options: { readonly signal: AbortSignal },
  ): Promise<readonly Claim[]>
  /** Extends the leases of everything that a worker holds and notes progress; tells what it must let go of. */
  renew(
    holds: readonly (Hold & { readonly progress: Progress | null })[],
    options: { readonly signal: AbortSignal; readonly leaseMs: number },
  ): Promise<RenewalReport>
  /** Completes a running inference whose attempt is still the hold's, books its usage and makes its webhook, in one commit. */
  complete(
    hold: Hold,
    end: Booking & { readonly completion: Completion },
    options: { readonly signal: AbortSignal },
  ): Promise<CompletionAnswer>
  /** Puts a claimed inference back to pending without counting the attempt, claimable after `delayMs`; it keeps its age. */
  release(hold: Hold, end: Booking & { readonly delayMs: number }, options: { readonly signal: AbortSignal }): Promise<ReleaseAnswer>
  /** Lets pending inferences that were given back be claimed at once, instead of after their delay. */
  hasten(ids: readonly string[], options: { readonly signal: AbortSignal }): Promise<void>
  /** Counts the attempt and puts the inference back to pending, or completes it as failed when none is left. */
  retry(
    hold: Hold,
    end: Booking & { readonly failure: AttemptFailure },
    options: { readonly signal: AbortSignal },
  ): Promise<ReleaseAnswer | 'failed'>
  /** Pending: completes it as cancelled. Running: asks its worker to. Completed: leaves it. Returns the record, null when unknown. */
  cancel(target: { readonly id: string; readonly accountId: string }, options: { readonly signal: AbortSignal }): Promise<Inference | null>
  /**
   * Moves lost leases on, but for those that the caller itself still holds, and fails what waited too long, counted from
   * its submission.
   */
  sweep(
    limits: { readonly maxQueueMs: number; readonly spared: readonly Hold[] },
    options: { readonly signal: AbortSignal },
  ): Promise<SweepReport>
  /** Takes the outputs of some records whose retention is over, and deletes some old records; nothing left when it reports none. */
  expire(options: { readonly signal: AbortSignal }): Promise<ExpiryReport>
  /** Resolves when something may have become claimable, or after `timeoutMs`. */
  waitForWork(timeoutMs: number, options: { readonly signal: AbortSignal }): Promise<void>
}
