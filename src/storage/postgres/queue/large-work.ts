import { createHash } from 'node:crypto'
import { deadAfterMs } from '../../../core/cluster/node.ts'
import { unreadableWork } from '../../../core/deferred/attempts.ts'
import { ServiceError } from '../../../core/error.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import type { OutputStore } from '../../../core/ports/output-store.ts'
import { type Abortable, firstOf, neverAborted } from '../../../core/waiting.ts'
import { outputsUnavailable } from '../../output-faults.ts'
import {
  decodeReference,
  decodeWork,
  encodeReference,
  referenceFormat,
  type StoredSubmission,
  type StoredWork,
  workType,
} from '../../work-format.ts'
import type { Database } from '../database.ts'

/** Size in bytes above which work is stored outside the queue. */
export const maxBytesInQueue = 64 * 1024
/** Time limit for storing work, plus some for each megabyte; 3 of 8 s are left for the row. */
const putLimitMs = 4000
const putMsPerByte = 30 / (1024 * 1024)
/** Minimum time for the row after its work was stored. */
export const rowLimitMs = 3000
/** Lifetime of the cached answer whether all nodes read references. */
const freshMs = 2000
/** Time limit for that query; without an answer work is stored in the queue, where every node can read it. */
const askLimitMs = 1000
/** Attempt number in the name of stored work; outputs never use zero. */
const attempt = 0

/**
 * Stores large work in the output store, from before its row is inserted until after the row is deleted. After a crash it belongs to an
 * unknown or completed inference and is swept with orphaned outputs.
 */
export class LargeWork {
  readonly #database: Database
  readonly #outputs: OutputStore
  readonly #clock: Clock
  #cached: { readonly until: number; readonly isRead: boolean } | null = null

  constructor({ database, outputs, clock }: { readonly database: Database; readonly outputs: OutputStore; readonly clock: Clock }) {
    this.#database = database
    this.#outputs = outputs
    this.#clock = clock
  }

  /**
   * Stores work and returns the reference for the queue. Null = the work belongs in the queue, because it is small or a node cannot read
   * references.
   *
   * @throws {ServiceError} `server_is_overloaded` if it cannot be stored in time.
   */
  async put(inferenceId: string, bytes: Uint8Array<ArrayBuffer>, { signal }: Abortable): Promise<Uint8Array | null> {
    if (bytes.length <= maxBytesInQueue || !(await this.#isReadByAll())) return null
    const content = { contentType: workType, chunks: [bytes] }
    const late = async (either: AbortSignal) => {
      await this.#clock.wait(putLimitMs + bytes.length * putMsPerByte, { signal: either })
      throw outputsUnavailable()
    }
    return encodeReference(
      await firstOf(signal, (either) => this.#outputs.put({ inferenceId, attempt }, content, { signal: either }), late),
    )
  }

  /** Loads stored work. @throws {ServiceError} `server_is_overloaded` or `internal_error` if it cannot be read. */
  async load({ key, bytes, sha256 }: StoredWork, options: Abortable): Promise<StoredSubmission> {
    const reference = { key, bytes, sha256, contentType: workType }
    const found = await this.#outputs.readPart(reference, { offset: 0, length: bytes }, options).catch((error: unknown) => {
      throw error instanceof ServiceError && error.code === 'internal_error' ? unreadable(error) : error
    })
    if (createHash('sha256').update(found).digest('hex') !== sha256) throw unreadable(new Error('the bytes are not those that were stored'))
    return decodeWork(found)
  }

  /** Deletes work that is no longer needed, in the background; what remains is swept later. */
  forget(references: readonly Uint8Array[]): void {
    if (references.length === 0) return
    const keys = references.flatMap((reference) => decodeReference(reference)?.key ?? [])
    this.#outputs.delete(keys, neverAborted).catch(() => {})
  }

  async #isReadByAll(): Promise<boolean> {
    const now = this.#clock.now()
    if (this.#cached !== null && now < this.#cached.until) return this.#cached.isRead
    const row = await this.#database
      .get(
        `select not exists (select 1 from nodes where report is not null and seen_at > :silent and report::json ->> 'role' <> 'api'
         and coalesce((report::json ->> 'workFormat')::integer, 3) < :format) as is_read`,
        { silent: now - deadAfterMs, format: referenceFormat },
        { repeatable: true, limitMs: askLimitMs },
      )
      .catch(() => undefined)
    this.#cached = { until: now + freshMs, isRead: row?.is_read === true }
    return this.#cached.isRead
  }
}

function unreadable(cause: unknown): ServiceError {
  return new ServiceError('internal_error', unreadableWork.message, { cause })
}
