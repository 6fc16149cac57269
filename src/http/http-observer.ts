import type { UsageEntry } from '../core/usage.ts'
import type { WorkEvent } from '../core/work-event.ts'

/** One request that is over; never its content. */
export interface FinishedRequest {
  readonly requestId: string
  readonly method: string
  /** The route's pattern, not the path, so that it can be a metric's label; `unmatched` when there is none. */
  readonly route: string
  /** 499 when the client left before its answer was complete. */
  readonly status: number
  readonly durationMs: number
  readonly accountId: string | null
}

/** One request's place in a trace. */
export interface RequestTrace {
  /** Runs what belongs to the request. */
  enter(next: () => void): void
  end(request: FinishedRequest): void
}

/** Receives the events of the public interface, for logs, metrics and traces. */
export interface HttpObserver {
  /** A request's head has come in; `traceparent` as its client sent it. Undefined = it is part of no trace. */
  requestStarted?(start: { readonly method: string; readonly traceparent: string | undefined }): RequestTrace | undefined
  /** Where the work of the request that runs now reports what it spends its time on. */
  watchWork(): (event: WorkEvent) => void
  /** The `traceparent` of what runs now, kept with work that runs later; undefined = it is part of no trace. */
  traceparent?(): string | undefined
  requestFinished(request: FinishedRequest): void
  /** A piece of interactive work is over and in the books. */
  workFinished(entry: UsageEntry): void
  /** Something failed for a reason that the client does not see. */
  faultSurvived(fault: { readonly requestId: string; readonly error: unknown }): void
  /** A caller asked for its prompt to be logged. */
  promptLogged(entry: { readonly requestId: string; readonly accountId: string; readonly prompt: string }): void
}
