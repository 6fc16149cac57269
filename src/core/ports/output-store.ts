import type { OutputReference } from '../inference.ts'

/** Keeps result bytes; what `put` resolved for is on stable storage. */
export interface OutputStore {
  /** Stores an output under an inference's attempt, so that a late attempt can never overwrite another's bytes. */
  put(name: OutputName, content: OutputContent, options: { readonly signal: AbortSignal }): Promise<OutputReference>
  /**
   * The bytes in pieces, once all of them have been checked against the reference. At most a few pieces are in memory at once.
   *
   * @throws {ServiceError} `internal_error` when they are damaged or missing, never wrong bytes.
   */
  open(reference: OutputReference, options: { readonly signal: AbortSignal }): Promise<AsyncIterable<Uint8Array>>
  /**
   * Some of the bytes, unchecked: the caller verifies them.
   *
   * @throws {ServiceError} `internal_error` when they are missing.
   */
  readPart(
    reference: OutputReference,
    part: { readonly offset: number; readonly length: number },
    options: { readonly signal: AbortSignal },
  ): Promise<Uint8Array>
  /** Deletes outputs by their keys; those that are not there count as deleted. A loss of power may bring some back. */
  delete(keys: readonly string[], options: { readonly signal: AbortSignal }): Promise<void>
  /** Outputs stored before `olderThan`, in Unix milliseconds, so that orphans can be found. */
  listOld(query: { readonly olderThan: number }, options: { readonly signal: AbortSignal }): AsyncIterable<StoredOutput>
}

/** What is to be stored. The chunks can be gone through several times. */
export interface OutputContent {
  readonly contentType: string
  readonly chunks: Iterable<Uint8Array>
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
