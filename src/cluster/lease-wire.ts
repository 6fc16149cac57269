import { type ErrorRecord, ServiceError, toFailureRecord } from '../core/error.ts'
import type { TextModel } from '../core/ports/text-model.ts'

/** Where every node that lends slots takes leases. */
export const leasePath = '/v1/lease'
/** What the other side must not be silent for longer than, or it counts as dead. */
export const silenceMs = 15_000
/** The same while nothing has come of a call: another node can begin it, as if the registry had reported this one dead. */
export const unbegunSilenceMs = 6000
/** How often each side of a lease shows that it is there. */
export const pingMs = 2000
/** A node that is there shows at once that it heard a question. */
export const firstSignMs = 3000
/** How long a node may take with its answer before it shows that it is there. */
export const quickAnswerMs = 250
/** How long a node may take to load a model, or to end what runs on it. */
export const longestLoadMs = 60 * 60_000
/** What this version grants: from 2 on, the first call may come along with the question; from 3 on, signs of work before the answer are sealed. */
export const leaseFormat = 3
/** Longest first call that comes along with a question: where the slot is refused, it came in vain. */
export const mostAheadBytes = 64 * 1024
/** How old or how far ahead a question may be by the cluster's clock. */
export const questionWindowMs = 30_000

/** The first line: what is wanted. Sealed by the header fields, since there is no key yet. */
export interface LeaseQuestion {
  readonly kind: 'text' | 'image' | 'load' | 'unload'
  readonly model: string
  readonly account: string
  readonly sequences: number
  readonly deferred: boolean
  /** Absent = 0, as from nodes that know of none. */
  readonly priority?: number
  /** The trace that it is asked for in, as W3C's `traceparent`; absent = none. */
  readonly traceparent?: string
  /** Whether call 1 follows at once, sealed by the question alone; absent = every call waits for the answer, as with nodes of format 1. */
  readonly ahead?: true
}

/** The answer to the question, as the first line back. */
export type LeaseAnswer =
  | { readonly type: 'granted'; readonly facts: Pick<TextModel, 'contextLength' | 'device'>; readonly abilities: readonly string[] }
  | { readonly type: 'refused'; readonly error: CarriedError }

/** What the asker says on a lease. */
export type AskerLine =
  | { readonly type: 'call'; readonly call: number; readonly method: string; readonly request: unknown; readonly account: string }
  | { readonly type: 'cancel'; readonly call: number }
  | { readonly type: 'ping' }

/** What the lender says on a lease. */
export type LenderLine =
  | { readonly type: 'part'; readonly call: number; readonly part: unknown }
  | { readonly type: 'done'; readonly call: number; readonly result: unknown }
  | { readonly type: 'failed'; readonly call: number; readonly error: CarriedError }
  | { readonly type: 'ping' }

/** A {@link ServiceError} as it goes from node to node. */
export interface CarriedError extends ErrorRecord {
  readonly retryAfterSeconds: number | null
}

/** What other nodes may know of an error. */
export function carryError(error: unknown): CarriedError {
  return { ...toFailureRecord(error), retryAfterSeconds: error instanceof ServiceError ? (error.retryAfterSeconds ?? null) : null }
}

/** The error that was carried. */
export function uncarryError({ code, message, param, cause, retryAfterSeconds }: CarriedError): ServiceError {
  return new ServiceError(code, message, { param: param ?? undefined, cause, retryAfterSeconds: retryAfterSeconds ?? undefined })
}

/** A node that cannot be reached, or is gone; another may do the work, now or when the client asks once more. */
export class NodeLost extends ServiceError {
  readonly nodeId: string

  constructor(nodeId: string, cause: unknown) {
    super('server_is_overloaded', 'The node that ran the request was lost before its answer was complete; send the request again.', {
      retryAfterSeconds: 1,
      cause,
    })
    this.nodeId = nodeId
  }
}
