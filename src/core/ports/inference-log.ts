import type { Inference, InferenceStatus } from '../inference.ts'
import type { StoredOutput } from './output-store.ts'

export interface InferencePage {
  /** Newest first. */
  readonly inferences: readonly Inference[]
  /** Id to pass as `after` for the next page, or null. */
  readonly next: string | null
}

/** Reads the records of deferred inferences. Another account's inference does not exist. */
export interface InferenceLog {
  /** With its place in the queue while it is pending; null when the account has none of this id. */
  find(id: string, accountId: string, options: { readonly signal: AbortSignal }): Promise<Inference | null>
  /** A page of the account's inferences, newest first, without their places in the queue; `status: null` = in every state. */
  list(
    query: { readonly accountId: string; readonly status: InferenceStatus | null; readonly limit: number; readonly after: string | null },
    options: { readonly signal: AbortSignal },
  ): Promise<InferencePage>
  /** When the longest waiting of all that are pending was submitted, in Unix milliseconds; null when none is. */
  oldestPending(options: { readonly signal: AbortSignal }): Promise<number | null>
  /** Keys of those outputs that nobody will ask for: their inference is unknown, completed with another, or past its retention. */
  findOrphans(outputs: readonly StoredOutput[], options: { readonly signal: AbortSignal }): Promise<readonly string[]>
}
