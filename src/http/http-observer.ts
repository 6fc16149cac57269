/** One answered request; never its content. */
export interface AnsweredRequest {
  readonly requestId: string
  readonly method: string
  /** The route's pattern, not the path, so that it can be a metric's label; null when no route matched. */
  readonly route: string | null
  readonly status: number
  readonly durationMs: number
  readonly accountId: string | null
}

/** Told what happens at the public interface, for logs and metrics. */
export interface HttpObserver {
  answered(request: AnsweredRequest): void
  /** The client left before its answer was complete. */
  abandoned(request: Omit<AnsweredRequest, 'status'>): void
  /** Something failed for a reason the client is not told. */
  failed(failure: { readonly requestId: string | null; readonly error: unknown }): void
  /** A caller asked for its prompt to be logged. */
  promptLogged(entry: { readonly requestId: string; readonly accountId: string; readonly prompt: string }): void
}
