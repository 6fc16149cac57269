import type { BodyLogSwitch, BodyPart } from '../../core/requests/logged-body.ts'

/** GET /console/api/accounts/:id/request-log, for owners. */
export interface RequestLogState {
  /** null = off. */
  readonly on: Omit<BodyLogSwitch, 'accountId'> | null
  /** What it holds. */
  readonly bodies: number
  readonly bytes: number
  readonly mostBytes: number
  readonly mostKeepHours: number
}

/** PUT /console/api/accounts/:id/request-log: switches it on, or changes it. */
export interface RequestLogWish {
  /** For which each body is kept. */
  readonly keepHours: number
  /** After which it goes off by itself; left out = never. */
  readonly offAfterHours?: number
}

/** GET /console/api/requests/:id/bodies: of its request first, then of later ones that came with the same id. */
export interface RequestBodies {
  readonly bodies: readonly ShownBody[]
}

/** A body of the request log. */
export interface ShownBody {
  /** Under which it is fetched as a file. */
  readonly id: string
  /** When its request was over, in Unix milliseconds. */
  readonly at: number
  readonly part: BodyPart
  /** Why it cannot be read: its key is missing, or it was changed; null = it can. */
  readonly unreadable: 'key' | 'damaged' | null
  /** Where the request was sent to; null = it is an answer. */
  readonly path: string | null
  readonly contentType: string | null
  /** Of an answer that was sent at once. */
  readonly status: number | null
  /** Bytes that there were. */
  readonly length: number
  /** The beginning of it, where it is text. */
  readonly text: string | null
  /** Whether there is more of it in the log than is shown. */
  readonly more: boolean
}
