import type { OutputReference } from '../inference.ts'

/** Keeps result bytes; what `put` resolved for is on stable storage. */
export interface OutputStore {
  /** Stores an output under an inference's attempt, so that a late attempt can never overwrite another's bytes. */
  put(
    key: OutputKey,
    content: { readonly contentType: string; readonly bytes: Uint8Array },
    options: { readonly signal: AbortSignal },
  ): Promise<OutputReference>
  /**
   * The bytes, checked against the reference.
   *
   * @throws {ServiceError} `internal_error` when they are damaged or missing, never wrong bytes.
   */
  read(key: OutputKey, reference: OutputReference, options: { readonly signal: AbortSignal }): Promise<Uint8Array>
  /** Deletes every attempt's bytes; succeeds when there are none. */
  delete(inferenceId: string, options: { readonly signal: AbortSignal }): Promise<void>
  /** Ids that have bytes stored longer ago than `olderThan`, so that orphans can be found. */
  listIds(query: { readonly olderThan: number }, options: { readonly signal: AbortSignal }): AsyncIterable<string>
}

export interface OutputKey {
  readonly inferenceId: string
  readonly attempt: number
}
