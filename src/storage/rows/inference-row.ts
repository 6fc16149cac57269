import { type ErrorRecord, errorCodes } from '../../core/error.ts'
import type { Inference, InferenceStatus, Outcome, OutputReference, Priority, Progress, StoredImages } from '../../core/inference.ts'
import type { ModelRoom } from '../../core/ports/inference-queue.ts'
import { type Row, readInteger, readIntegerOrNull, readOneOf, readText, readTextOrNull } from './row.ts'

const statuses = ['pending', 'running', 'completed'] as const satisfies readonly InferenceStatus[]
/** Outcomes in columns. */
export const outcomes = ['succeeded', 'failed', 'cancelled'] as const satisfies readonly Outcome[]

/** Reads a full row of `inferences`; the queue position is not included. */
export function readInference(row: Row): Inference {
  return {
    ...readSubmitted(row),
    status: readOneOf(row, 'status', statuses),
    outcome: row.outcome === null ? null : readOneOf(row, 'outcome', outcomes),
    error: readErrorOrNull(row, 'error'),
    output: readOutput(row),
    attempt: readInteger(row, 'attempt'),
    progress: readProgress(row),
    queuePosition: null,
    createdAt: readInteger(row, 'created_at'),
    startedAt: readIntegerOrNull(row, 'started_at'),
    completedAt: readIntegerOrNull(row, 'completed_at'),
    expiresAt: readIntegerOrNull(row, 'expires_at'),
  }
}

/** The fields known since submission. */
export function readSubmitted(row: Row): Pick<Inference, 'id' | 'accountId' | 'kind' | 'model' | 'priority'> {
  return {
    id: readText(row, 'id'),
    accountId: readText(row, 'account_id'),
    kind: readOneOf(row, 'kind', ['image', 'chat', 'embedding']),
    model: readText(row, 'model'),
    priority: readPriority(readInteger(row, 'priority')),
  }
}

/** Priorities sort by number, higher first. */
export function writePriority(priority: Priority): number {
  return priority === 'normal' ? 1 : 0
}

function readPriority(value: number): Priority {
  return value === 1 ? 'normal' : 'low'
}

function readOutput(row: Row): OutputReference | null {
  const sha256 = readTextOrNull(row, 'output_sha256')
  if (sha256 === null) return null
  const images = readTextOrNull(row, 'output_images')
  return {
    key: readText(row, 'output_key'),
    contentType: readText(row, 'content_type'),
    bytes: readInteger(row, 'output_bytes'),
    sha256,
    ...(images !== null && { images: JSON.parse(images) as StoredImages }),
  }
}

function readProgress(row: Row): Progress | null {
  const step = readIntegerOrNull(row, 'step')
  return step === null ? null : { step, total: readInteger(row, 'total') }
}

/** A nullable column with an error, whose code a later version may have written. */
export function readErrorOrNull(row: Row, column: string): ErrorRecord | null {
  const text = readTextOrNull(row, column)
  if (text === null) return null
  const stored = JSON.parse(text) as { readonly code: string; readonly message: string; readonly param: string | null }
  return { ...stored, code: errorCodes.find((code) => code === stored.code) ?? 'internal_error' }
}

/** A worker's request for work. */
export interface WantedWork {
  readonly workerId: string
  readonly rooms: readonly ModelRoom[]
  readonly limit: number
  readonly leaseMs: number
  /** Latest format of work the worker can read. */
  readonly format: number
}

/** An inference with a started attempt and its stored work. */
export interface ClaimedRow {
  readonly inference: Inference
  readonly body: Uint8Array
  /** Earlier attempts that killed their engine. */
  readonly deadlyAttempts: number
}
