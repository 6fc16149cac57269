import type { Inference, InferenceStatus } from '../inference.ts'
import type { Abortable } from '../waiting.ts'
import type { StoredOutput } from './output-store.ts'

export interface InferencePage {
  /** Newest first. */
  readonly inferences: readonly Inference[]
  /** Id to pass as `after` for the next page, or null. */
  readonly next: string | null
}

/** Reads the records of deferred inferences. Inferences of other accounts are not found. */
export interface InferenceLog {
  /** Finds an inference, with its queue position while pending; null = the account has none with this id. */
  find(id: string, accountId: string, options: Abortable): Promise<Inference | null>
  /** A page of the account's inferences, newest first, without queue positions; `status: null` = all states. */
  list(
    query: { readonly accountId: string; readonly status: InferenceStatus | null; readonly limit: number; readonly after: string | null },
    options: Abortable,
  ): Promise<InferencePage>
  /** Submission time of the oldest pending inference in Unix milliseconds; null = none. */
  oldestPending(options: Abortable): Promise<number | null>
  /** Keys of unreferenced outputs: the inference is unknown, completed with another output, or past its retention. */
  findOrphans(outputs: readonly StoredOutput[], options: Abortable): Promise<readonly string[]>
}
