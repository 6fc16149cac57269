import type { OutputReference } from '../inference.ts'
import type { Abortable } from '../waiting.ts'

/** Stores output bytes; they are on stable storage when `put` resolves. */
export interface OutputStore {
  /** Stores an output under the inference's attempt, so that a late attempt cannot overwrite another's bytes. */
  put(name: OutputName, content: OutputContent, options: Abortable): Promise<OutputReference>
  /**
   * Reads an output in pieces, after checking all of it against the reference. At most a few pieces are in memory at once.
   *
   * @throws {ServiceError} `internal_error` if the bytes are damaged or missing.
   */
  open(reference: OutputReference, options: Abortable): Promise<AsyncIterable<Uint8Array>>
  /**
   * Reads some of the bytes without checking them; the caller must verify them.
   *
   * @throws {ServiceError} `internal_error` if they are missing.
   */
  readPart(reference: OutputReference, part: { readonly offset: number; readonly length: number }, options: Abortable): Promise<Uint8Array>
  /** Deletes outputs by key; missing ones are ignored. After a power failure some may reappear. */
  delete(keys: readonly string[], options: Abortable): Promise<void>
  /** Outputs stored before `olderThan`, in Unix milliseconds, for finding orphans. */
  listOld(query: { readonly olderThan: number }, options: Abortable): AsyncIterable<StoredOutput>
}

/** Bytes to store. The chunks can be iterated several times. */
export interface OutputContent {
  readonly contentType: string
  readonly chunks: Iterable<Uint8Array>
}

/** The inference and attempt of an output. */
export interface OutputName {
  readonly inferenceId: string
  readonly attempt: number
}

/** An output in the store, referenced by a record or not. */
export interface StoredOutput {
  readonly key: string
  readonly inferenceId: string
}
