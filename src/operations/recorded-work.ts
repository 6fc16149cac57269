import { randomUUID } from 'node:crypto'
import type { Caller } from '../core/access-token.ts'
import { makeOrderedId } from '../core/deferred/inference-id.ts'
import { type ErrorRecord, ServiceError, toFailureRecord } from '../core/error.ts'
import type { Submission, Work } from '../core/inference.ts'
import type { UsageBooks } from '../core/ports/usage-log.ts'
import { outcomeOfFailure, type UsageEntry } from '../core/usage.ts'
import { type Abortable, neverAborted } from '../core/waiting.ts'
import type { RunDependencies } from './model-slot.ts'
import { meterOf, type UsageMeter } from './usage-meter.ts'

/** Dependencies of work whose caller waits. */
export interface InteractiveDependencies extends RunDependencies {
  readonly usage: UsageBooks
  /**
   * Called with the outcome of work before its usage is recorded, whether recording succeeds or not, and with the error of failed and
   * refused work.
   */
  readonly onEnded: (entry: UsageEntry, error: ErrorRecord | null) => void
  /** Called with each recorded entry. */
  readonly onBooked: (entry: UsageEntry) => void
  /** Called with failures that the caller must not see, such as a failed usage entry. */
  readonly onFault: (fault: unknown) => void
}

/** Work whose caller waits. */
export interface RequestedWork<Kind extends Work = Work> {
  readonly caller: Caller
  readonly work: Kind
}

/**
 * Usage accounting of work whose caller waits. Disposing it records the usage and releases the reservation, whatever the outcome, even if
 * the work never began. The answer neither waits for that write, which takes a millisecond, nor fails with it.
 */
export class UsageRecording<Kind extends Work = Work> implements Disposable {
  readonly submission: Submission<Kind>
  readonly meter: UsageMeter
  readonly #deps: InteractiveDependencies
  readonly #signal: AbortSignal
  #failure: unknown = null

  /** @throws {ServiceError} `server_is_overloaded` while usage of earlier requests cannot be recorded. */
  constructor(deps: InteractiveDependencies, { caller, work }: RequestedWork<Kind>, { signal }: Abortable) {
    requireBooks(deps.usage)
    const { accountId, tokenId } = caller
    const id = makeOrderedId(randomUUID(), deps.clock.now())
    this.submission = { id, accountId, tokenId, traceparent: null, work }
    this.meter = meterOf(deps, this.submission)
    this.#deps = deps
    this.#signal = signal
  }

  /** Records the error that ended the work. @returns The same error. */
  failed(error: unknown): unknown {
    this.#failure = error
    return error
  }

  [Symbol.dispose](): void {
    const { usage, onEnded, onBooked, onFault } = this.#deps
    const code = this.#failure instanceof ServiceError ? this.#failure.code : null
    const entry = this.meter.entry(this.meter.finished ? 'succeeded' : this.#signal.aborted ? 'cancelled' : outcomeOfFailure(code))
    const hasFailed = entry.outcome === 'failed' || entry.outcome === 'refused'
    onEnded(entry, hasFailed && this.#failure !== null ? toFailureRecord(this.#failure) : null)
    // The request's own signal may already be aborted, but usage must be recorded.
    void usage
      .append(entry, { ...neverAborted, id: this.submission.id, isReserved: this.meter.isReserved })
      .then(() => onBooked(entry))
      .catch((error) => onFault(error))
  }
}

/** @throws {ServiceError} `server_is_overloaded` while usage of earlier requests cannot be recorded. */
function requireBooks({ owed = 0 }: Pick<UsageBooks, 'owed'>): void {
  if (owed === 0) return
  const message = 'The service cannot record the usage of earlier requests now; try again later, its operator finds the cause in the log.'
  throw new ServiceError('server_is_overloaded', message, { retryAfterSeconds: 5 })
}

/** Runs work whose caller waits and records its usage. @throws The errors of the work. */
export async function runAndRecord<Kind extends Work, Result>(
  deps: InteractiveDependencies,
  requested: RequestedWork<Kind>,
  run: (recording: UsageRecording<Kind>) => Promise<Result>,
  options: Abortable,
): Promise<Result> {
  using recording = new UsageRecording(deps, requested, options)
  try {
    return await run(recording)
  } catch (error) {
    throw recording.failed(error)
  }
}
