import type { OutputReference } from '../inference.ts'

/** Keeps result bytes; what `put` resolved for is on stable storage. */
export interface OutputStore {
  /** Stores an output under an inference's attempt, so that a late attempt can never overwrite another's bytes. */
  put(
    name: OutputName,
    content: { readonly contentType: string; readonly bytes: Uint8Array },
    options: { readonly signal: AbortSignal },
  ): Promise<OutputReference>
  /**
   * The bytes, checked against the reference.
   *
   * @throws {ServiceError} `internal_error` when they are damaged or missing, never wrong bytes.
   */
  read(reference: OutputReference, options: { readonly signal: AbortSignal }): Promise<Uint8Array>
  /** Deletes outputs by their keys; those that are not there count as deleted. A loss of power may bring some back. */
  delete(keys: readonly string[], options: { readonly signal: AbortSignal }): Promise<void>
  /** Outputs stored before `olderThan`, in Unix milliseconds, so that orphans can be found. */
  listOld(query: { readonly olderThan: number }, options: { readonly signal: AbortSignal }): AsyncIterable<StoredOutput>
}

/** What an output belongs to. */
export interface OutputName {
  readonly inferenceId: string
  readonly attempt: number
}

/** An output that lies in the store, whether or not a record names it. */
export interface StoredOutput {
  readonly key: string
  readonly inferenceId: string
}
