import { type ErrorRecord, ServiceError, toFailureRecord } from '../core/error.ts'
import type { TextModel } from '../core/ports/text-model.ts'

/** Path for leases on every node that offers slots. */
export const leasePath = '/v1/lease'
/** Silence after which the other side counts as dead. */
export const silenceMs = 15_000
/** Silence limit while no part of a call has arrived: another node can then take over, as when the registry reports a node dead. */
export const unbegunSilenceMs = 6000
/** Interval of keep-alive messages on a lease. */
export const pingMs = 2000
/** Time limit for the first keep-alive after a slot request. */
export const firstSignMs = 3000
/** Time to answer before the first keep-alive is sent. */
export const quickAnswerMs = 250
/** Maximum time for loading a model, or for its running work to end. */
export const longestLoadMs = 60 * 60_000
/**
 * Format of leases granted by this version. From 2 on, the first call may be sent along with the slot request; from 3 on, keep-alives
 * before the answer are sealed.
 */
export const leaseFormat = 3
/** Maximum size of a call sent along with the slot request; larger ones would be wasted if the slot is refused. */
export const maxAheadBytes = 64 * 1024
/** Accepted clock difference of a slot request, by the cluster's clock. */
export const questionWindowMs = 30_000

/** The first line: the slot request. It is sealed by header fields, since there is no session key yet. */
export interface LeaseQuestion {
  readonly kind: 'text' | 'image' | 'load' | 'unload'
  readonly model: string
  readonly account: string
  readonly sequences: number
  readonly deferred: boolean
  /** Absent = 0, for nodes of older versions. */
  readonly priority?: number
  /** Trace of the request, as W3C `traceparent`; absent = none. */
  readonly traceparent?: string
  /** Whether call 1 follows at once, sealed by the request alone; absent = calls wait for the answer, as in format 1. */
  readonly ahead?: true
}

/** The answer to a slot request, sent as the first line. */
export type LeaseAnswer =
  | { readonly type: 'granted'; readonly facts: Pick<TextModel, 'contextLength' | 'device'>; readonly abilities: readonly string[] }
  | { readonly type: 'refused'; readonly error: CarriedError }

/** Lines sent by the requesting node. */
export type AskerLine =
  | { readonly type: 'call'; readonly call: number; readonly method: string; readonly request: unknown; readonly account: string }
  | { readonly type: 'cancel'; readonly call: number }
  | { readonly type: 'ping' }

/** Lines sent by the lending node. */
export type LenderLine =
  | { readonly type: 'part'; readonly call: number; readonly part: unknown }
  | { readonly type: 'done'; readonly call: number; readonly result: unknown }
  | { readonly type: 'failed'; readonly call: number; readonly error: CarriedError }
  | { readonly type: 'ping' }

/** A {@link ServiceError} as sent between nodes. */
export interface CarriedError extends ErrorRecord {
  readonly retryAfterSeconds: number | null
}

/** Converts an error for other nodes. */
export function carryError(error: unknown): CarriedError {
  return { ...toFailureRecord(error), retryAfterSeconds: error instanceof ServiceError ? (error.retryAfterSeconds ?? null) : null }
}

/** Converts an error received from another node. */
export function uncarryError({ code, message, param, cause, retryAfterSeconds }: CarriedError): ServiceError {
  return new ServiceError(code, message, { param: param ?? undefined, cause, retryAfterSeconds: retryAfterSeconds ?? undefined })
}

/** An unreachable or lost node; another node may do the work, now or when the client retries. */
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
