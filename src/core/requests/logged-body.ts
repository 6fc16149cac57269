/** Which side of a request a body is. */
export const bodyParts = ['request', 'answer'] as const
export type BodyPart = (typeof bodyParts)[number]

/** One body of the request log, decrypted. */
export interface LoggedBody {
  readonly part: BodyPart
  /** Path of the request; null = the body is an answer. */
  readonly path: string | null
  /** Time of logging in Unix milliseconds. */
  readonly at: number
  /** Its `Content-Type`; null = none. */
  readonly contentType: string | null
  /** HTTP status of an answer; null = a request, or an output fetched later. */
  readonly status: number | null
  /** The body, possibly truncated. */
  readonly bytes: Uint8Array
  /** Length of the whole body in bytes. */
  readonly length: number
}

/** Settings for logging an account's bodies, from now on. */
export interface BodyLogSwitch {
  readonly accountId: string
  /** Time it was switched on, in Unix milliseconds. */
  readonly since: number
  /** Retention of each body. */
  readonly keepMs: number
  /** Time it switches off; null = when somebody switches it off. */
  readonly until: number | null
}

/** Maximum logged size of a body; longer ones are truncated. */
export const longestBody = 16 * 1024 * 1024
/** Default retention of bodies. */
export const usualKeepMs = 24 * 60 * 60 * 1000
/** Minimum retention of bodies. */
export const shortestKeepMs = 60 * 60 * 1000

/** Why a body was not logged: too many waiting in memory, the account's log is full, no key, or a write error. */
export type BodyDropReason = 'waiting' | 'full' | 'key' | 'fault'
