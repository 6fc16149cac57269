import type { ErrorRecord } from '../error.ts'
import type { OutputReference } from '../inference.ts'

/** Endpoints for the lines of a batch. */
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
 * - `validating`: entered at creation; the whole file is checked before anything runs.
 * - `in_progress`: entered when every line is valid. After a crash it resumes at its page.
 * - `cancelling`: entered by its owner, or when its account is disabled; running lines are cancelled, and the rest end as cancelled.
 * - `completed`, `failed`, `expired`, `cancelled`: final. The record is deleted seven days after it would have expired.
 */
export type BatchStatus = 'validating' | 'in_progress' | 'cancelling' | 'completed' | 'failed' | 'expired' | 'cancelled'

/** A fault in a batch's file; lines count from 1. */
export interface BatchFault {
  readonly line: number | null
  readonly error: ErrorRecord
}

/** One of the two output files of a batch. */
export interface BatchFile {
  /** Names its parts in the output store, and ends the file's id. */
  readonly uuid: string
  readonly bytes: number
  readonly parts: readonly OutputReference[]
}

/** Many requests in one file; they queue behind all normal work. Times in Unix milliseconds. */
export interface Batch {
  /** `batch_` and a UUID. */
  readonly id: string
  readonly accountId: string
  /** The access token it was created with; absent = a console session, or an older version. */
  readonly tokenId?: string | undefined
  readonly endpoint: BatchEndpoint
  readonly inputFileId: string
  readonly metadata: Readonly<Record<string, string>> | null
  /** Retention of its files after they are complete. */
  readonly filesLifetimeMs: number
  readonly status: BatchStatus
  readonly createdAt: number
  readonly startedAt: number | null
  readonly cancellingAt: number | null
  readonly endedAt: number | null
  /** Time at which it ends, finished or not. */
  readonly expiresAt: number
  readonly faults: readonly BatchFault[]
  /** Lines in all, successful ones and failed ones. */
  readonly counts: { readonly total: number; readonly completed: number; readonly failed: number }
  /** Offset of the first line without a written result, and the number of the page of results it belongs to. */
  readonly place: { readonly offset: number; readonly page: number }
  /** Inferences of that page in the order of its lines; null = a refused line, or one not queued yet. */
  readonly running: readonly (string | null)[]
  /** Errors of refused lines of that page, in the same order; absent = unknown, as in records of earlier versions. */
  readonly refused?: readonly (ErrorRecord | null)[]
  readonly output: BatchFile
  readonly errors: BatchFile
}

/** Maximum duration of a batch. */
export const batchWindowMs = 24 * 60 * 60 * 1000
/** Retention of its record after that. */
export const batchRetentionMs = 7 * 24 * 60 * 60 * 1000
/** Default retention of its results. */
export const batchFilesLifetimeMs = 24 * 60 * 60 * 1000
/** Maximum number of lines. */
export const maxBatchLines = 50_000
/** Maximum size of a line in bytes. */
export const maxLineBytes = 1024 * 1024
/** Lines per page: they are queued together, and their results are written together. */
export const batchPageLines = 32
/** Whether a batch has reached a final state. */
export function hasEnded({ status }: Pick<Batch, 'status'>): boolean {
  return status !== 'validating' && status !== 'in_progress' && status !== 'cancelling'
}
