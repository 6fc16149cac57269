import type { BodyLogSwitch, BodyPart } from '../../core/requests/logged-body.ts'

/** GET /console/api/accounts/:id/request-log, for owners. */
export interface RequestLogState {
  /** null = off. */
  readonly on: Omit<BodyLogSwitch, 'accountId'> | null
  /** Number of stored bodies. */
  readonly bodies: number
  readonly bytes: number
  readonly mostBytes: number
  readonly mostKeepHours: number
}

/** PUT /console/api/accounts/:id/request-log: switches it on, or changes it. */
export interface RequestLogWish {
  /** Retention of each body. */
  readonly keepHours: number
  /** Time after which it is switched off automatically; absent = never. */
  readonly offAfterHours?: number
}

/** GET /console/api/requests/:id/bodies: this request's bodies first, then those of later requests with the same id. */
export interface RequestBodies {
  readonly bodies: readonly ShownBody[]
}

/** A body of the request log. */
export interface ShownBody {
  /** Id for fetching it as a file. */
  readonly id: string
  /** End of its request, in Unix milliseconds. */
  readonly at: number
  readonly part: BodyPart
  /** Why it cannot be decrypted: its key is missing, or it was changed; null = it can. */
  readonly unreadable: 'key' | 'damaged' | null
  /** The path of the request; null = it is an answer. */
  readonly path: string | null
  readonly contentType: string | null
  /** The status of an answer that was sent at once. */
  readonly status: number | null
  /** Total number of bytes. */
  readonly length: number
  /** The beginning, if it is text. */
  readonly text: string | null
  /** Whether the log has more of it than `text`. */
  readonly more: boolean
}
