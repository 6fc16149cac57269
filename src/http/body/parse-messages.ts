import type { ErrorCode, ErrorRecord } from '../../core/error.ts'

/** What the thread is asked: to parse a body. */
export interface ParseRequest {
  readonly number: number
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly tooDeep: ErrorCode
  readonly keepBytes: boolean
}

/** The body and its value, or why there is none; `cause` is for the log. */
export type ParseReply =
  | { readonly number: number; readonly bytes: Uint8Array<ArrayBuffer>; readonly value: unknown }
  | { readonly number: number; readonly failure: ErrorRecord | null; readonly cause: string }
