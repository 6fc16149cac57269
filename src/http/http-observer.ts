import type { FinishedRequest } from '../core/requests/request-record.ts'
import type { UsageEntry } from '../core/usage.ts'
import type { WorkEvent } from '../core/work-event.ts'

/** The span of one request in a trace. */
export interface RequestTrace {
  /** Runs `next` inside the span. */
  enter(next: () => void): void
  end(request: FinishedRequest): void
}

/** Receives the events of the public interface, for logs, metrics and traces. */
export interface HttpObserver {
  /** A request's head was received, with its `traceparent`. Undefined = no trace. */
  requestStarted?(start: { readonly method: string; readonly traceparent: string | undefined }): RequestTrace | undefined
  /** Receives events about the work of the current request. */
  watchWork(): (event: WorkEvent) => void
  /** The current `traceparent`, stored with deferred work; undefined = no trace. */
  traceparent?(): string | undefined
  requestFinished(request: FinishedRequest): void
  /** Interactive work is finished and booked. */
  workFinished(entry: UsageEntry): void
  /** Something failed whose cause the client does not see. */
  faultSurvived(fault: { readonly requestId: string; readonly error: unknown }): void
  /** A caller asked for its prompt to be logged. */
  promptLogged(entry: { readonly requestId: string; readonly accountId: string; readonly prompt: string }): void
}
