import type { ErrorRecord } from '../error.ts'
import type { OutputReference } from '../inference.ts'

/** What lines of a batch may be sent to. */
export const batchEndpoints = [
  '/v1/chat/completions',
  '/v1/completions',
  '/v1/embeddings',
  '/v1/responses',
  '/v1/images/generations',
] as const
export type BatchEndpoint = (typeof batchEndpoints)[number]

/**
 * The states of a batch.
 *
 * - `validating`: entered when it is made; its file is read through before anything runs.
 * - `in_progress`: entered when every line can be read. After a crash it goes on at its page.
 * - `cancelling`: entered by its owner, or when its account is disabled; running lines are cancelled, and the rest end as cancelled.
 * - `completed`, `failed`, `expired`, `cancelled`: final. The record is deleted seven days after it would have expired.
 */
export type BatchStatus = 'validating' | 'in_progress' | 'cancelling' | 'completed' | 'failed' | 'expired' | 'cancelled'

/** One fault of a batch's file; lines count from 1. */
export interface BatchFault {
  readonly line: number | null
  readonly error: ErrorRecord
}

/** One of the two files that a batch writes. */
export interface BatchFile {
  /** Names its parts in the output store; the file's id ends with it. */
  readonly uuid: string
  readonly bytes: number
  readonly parts: readonly OutputReference[]
}

/** Many requests in one file, which wait in the queue behind everything normal. Times in Unix milliseconds. */
export interface Batch {
  /** `batch_` and a UUID. */
  readonly id: string
  readonly accountId: string
  /** The access token that asked for it; absent = a signed-in browser, or a version that did not note it. */
  readonly tokenId?: string
  readonly endpoint: BatchEndpoint
  readonly inputFileId: string
  readonly metadata: Readonly<Record<string, string>> | null
  /** How long its files are kept once they are whole. */
  readonly filesLifetimeMs: number
  readonly status: BatchStatus
  readonly createdAt: number
  readonly startedAt: number | null
  readonly cancellingAt: number | null
  readonly endedAt: number | null
  /** When it ends however far it has come. */
  readonly expiresAt: number
  readonly faults: readonly BatchFault[]
  /** Lines in all, of those that answered, and of those that did not. */
  readonly counts: { readonly total: number; readonly completed: number; readonly failed: number }
  /** Where in its file the first line begins that has not been written to a result, and which page of results that is. */
  readonly place: { readonly offset: number; readonly page: number }
  /** The inferences of that page, in the order of its lines; null = a line that was refused, or is not in the queue yet. */
  readonly running: readonly (string | null)[]
  /** Why lines of that page were refused, in the same order; absent = unknown, as in records of earlier versions. */
  readonly refused?: readonly (ErrorRecord | null)[]
  readonly output: BatchFile
  readonly errors: BatchFile
}

/** How long a batch may take. */
export const batchWindowMs = 24 * 60 * 60 * 1000
/** How long its record stays after that. */
export const batchRetentionMs = 7 * 24 * 60 * 60 * 1000
/** How long its results are kept unless its owner says otherwise, as every output is. */
export const batchFilesLifetimeMs = 24 * 60 * 60 * 1000
/** Lines of a batch at most. */
export const mostBatchLines = 50_000
/** Bytes of a line at most. */
export const mostLineBytes = 1024 * 1024
/** Lines of a page: they are in the queue together, and their results are written together. */
export const batchPageLines = 32
/** Whether a batch has come to its end. */
export function hasEnded({ status }: Pick<Batch, 'status'>): boolean {
  return status !== 'validating' && status !== 'in_progress' && status !== 'cancelling'
}
