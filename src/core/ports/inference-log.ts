import type { Inference, InferenceStatus } from '../inference.ts'

export interface InferencePage {
  /** Newest first. */
  readonly inferences: readonly Inference[]
  /** Id to pass as `after` for the next page, or null. */
  readonly next: string | null
}

/** Reads the records of deferred inferences. Another account's inference does not exist. */
export interface InferenceLog {
  find(id: string, accountId: string, options: { readonly signal: AbortSignal }): Promise<Inference | null>
  list(
    query: { readonly accountId: string; readonly status: InferenceStatus | null; readonly limit: number; readonly after: string | null },
    options: { readonly signal: AbortSignal },
  ): Promise<InferencePage>
  /** Those of these ids that have no right to an output: unknown, or past their retention. */
  withoutOutput(ids: readonly string[], options: { readonly signal: AbortSignal }): Promise<readonly string[]>
}
