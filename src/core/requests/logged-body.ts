/** Which side of a request a body is. */
export const bodyParts = ['request', 'answer'] as const
export type BodyPart = (typeof bodyParts)[number]

/** One body of the request log, decrypted. */
export interface LoggedBody {
  readonly part: BodyPart
  /** Where a request was sent to; null = the body is an answer. */
  readonly path: string | null
  /** When it was kept, in Unix milliseconds. */
  readonly at: number
  /** As its header said; null = it had none. */
  readonly contentType: string | null
  /** HTTP status of an answer; null = the body is a request, or an output that was fetched later. */
  readonly status: number | null
  /** The bytes, or their beginning. */
  readonly bytes: Uint8Array
  /** Bytes that there were in all. */
  readonly length: number
}

/** For how long the bodies of an account's requests are kept, from now on. */
export interface BodyLogSwitch {
  readonly accountId: string
  /** Unix milliseconds of when it was switched on. */
  readonly since: number
  /** For how long each body is kept. */
  readonly keepMs: number
  /** When it goes off by itself; null = when somebody switches it off. */
  readonly until: number | null
}

/** What is kept of a body at most; of a longer one the beginning. */
export const longestBody = 16 * 1024 * 1024
/** How long bodies are kept unless somebody says otherwise. */
export const usualKeepMs = 24 * 60 * 60 * 1000
/** The shortest time that bodies may be kept. */
export const shortestKeepMs = 60 * 60 * 1000

/** Why a body is not in the log: memory is full of what waits, the account's log is full, there is no key, or it could not be written. */
export type BodyDropReason = 'waiting' | 'full' | 'key' | 'fault'
