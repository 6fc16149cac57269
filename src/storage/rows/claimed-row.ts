import type { Inference } from '../../core/inference.ts'
import type { ModelRoom } from '../../core/ports/inference-queue.ts'

/** What a worker asks a queue for. */
export interface WantedWork {
  readonly workerId: string
  readonly rooms: readonly ModelRoom[]
  readonly limit: number
  readonly leaseMs: number
  /** The latest format of work that the worker can read. */
  readonly format: number
}

/** An inference whose attempt has begun, with its work as it is stored. */
export interface ClaimedRow {
  readonly inference: Inference
  readonly body: Uint8Array
  /** Earlier attempts that killed their engine. */
  readonly deadlyAttempts: number
}
