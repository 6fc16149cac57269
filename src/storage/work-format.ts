import { deserialize, serialize } from 'node:v8'
import { ServiceError } from '../core/error.ts'
import type { InferenceWork } from '../core/inference.ts'
import { upgradeWork, type WorkV1 } from './upgrade-work.ts'

/** First byte of every stored work; raised when the domain's requests change shape. */
const formatVersion = 2

/** Work as bytes that keep binary images and maps: one byte of format version, then V8's structured clone. */
export function encodeWork(work: InferenceWork): Uint8Array<ArrayBuffer> {
  const body = serialize(work)
  const bytes = new Uint8Array(body.length + 1)
  bytes[0] = formatVersion
  bytes.set(body, 1)
  return bytes
}

/** @throws {ServiceError} `internal_error` when the bytes were written by a format that this version does not know. */
export function decodeWork(bytes: Uint8Array): InferenceWork {
  const stored: unknown = bytes[0] === formatVersion || bytes[0] === 1 ? deserialize(bytes.subarray(1)) : undefined
  if (stored === undefined)
    throw new ServiceError('internal_error', 'The stored request was written by another version of the service; restart that version.')
  return bytes[0] === 1 ? upgradeWork(stored as WorkV1) : (stored as InferenceWork)
}
