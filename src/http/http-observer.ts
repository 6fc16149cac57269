import type { UsageEntry } from '../core/usage.ts'

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

/** Told what happens at the public interface, for logs and metrics. */
export interface HttpObserver {
  requestFinished(request: FinishedRequest): void
  /** A piece of interactive work is over and in the books. */
  workFinished(entry: UsageEntry): void
  /** Something failed for a reason the client is not told. */
  faultSurvived(fault: { readonly requestId: string; readonly error: unknown }): void
  /** A caller asked for its prompt to be logged. */
  promptLogged(entry: { readonly requestId: string; readonly accountId: string; readonly prompt: string }): void
}
