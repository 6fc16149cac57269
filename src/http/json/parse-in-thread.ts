import { parentPort } from 'node:worker_threads'
import { type ErrorCode, type ErrorRecord, ServiceError, toErrorRecord } from '../../core/error.ts'
import { parseJson } from './parse-json.ts'

/** A request to the thread to parse a body. */
export interface ParseRequest {
  readonly number: number
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly tooDeep: ErrorCode
  readonly keepBytes: boolean
}

/** The body and its value, or the error; `cause` is for the log. */
export type ParseReply =
  | { readonly number: number; readonly bytes: Uint8Array<ArrayBuffer>; readonly value: unknown }
  | { readonly number: number; readonly failure: ErrorRecord | null; readonly cause: string }

if (parentPort === null) throw new Error('This file runs in a worker thread only.')
const port = parentPort

port.on('message', ({ number, bytes, tooDeep, keepBytes }: ParseRequest) => {
  try {
    const value = parseJson(Buffer.from(bytes.buffer), tooDeep)
    const kept = keepBytes ? bytes : new Uint8Array(0)
    const reply: ParseReply = { number, bytes: kept, value }
    port.postMessage(reply, [kept.buffer])
  } catch (error) {
    const failure = error instanceof ServiceError ? toErrorRecord(error) : null
    const reply: ParseReply = { number, failure, cause: error instanceof Error ? (error.stack ?? error.message) : String(error) }
    port.postMessage(reply)
  }
})
