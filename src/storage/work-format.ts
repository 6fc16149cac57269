import { deserialize } from 'node:v8'
import { readEnlargement, writeEnlargement } from '../core/images/earlier-enlargement.ts'
import type { InferenceWork, OutputReference, Submission } from '../core/inference.ts'
import { readPortable, writePortable } from '../core/portable-value.ts'
import { upgradeWork, type WorkV1 } from './upgrade-work.ts'

/**
 * The format in which work is stored. This version reads it and every earlier one; a later one stays in the queue for who can read it.
 *
 * Raise it when the domain's requests change shape, and turn the earlier shapes into today's with an `upgradeWork`; the
 * databases in `test/fixtures/data-folders` hold work of each format.
 */
export const workFormat = 3

/**
 * The format of a reference, which stands in the queue for bytes of {@link workFormat} that lie elsewhere. Raise both together, beyond every
 * earlier number: a reader of one format reads all lower ones.
 */
export const referenceFormat = 4

/** What encoded work lies as where it does not lie with its record. */
export const workType = 'application/vnd.sepia.work'

/** Where encoded work lies that is too large for its record. */
export type StoredWork = Omit<OutputReference, 'images'>

/** Bytes before the JSON: the format, and the length of the JSON as a big-endian 32-bit number. */
const headBytes = 5

/** What is stored of a submission beside its record. */
export type StoredSubmission = Pick<Submission<InferenceWork>, 'tokenId' | 'traceparent' | 'work'>

/** As it is stored: whose it is and its trace stand beside the work, absent where there is none. */
type WrittenWork = InferenceWork & { readonly traceparent?: string; readonly tokenId?: string }

/** A submission as bytes that any version, store or language can read: a head, JSON, and the images one after the other. */
export function encodeWork({ work, tokenId, traceparent }: StoredSubmission): Uint8Array<ArrayBuffer> {
  const { json, parts } = writePortable({
    ...(work.kind === 'enlargement' ? { kind: 'image', request: writeEnlargement(work.request) } : work),
    ...(traceparent !== null && { traceparent }),
    ...(tokenId !== null && { tokenId }),
  })
  const text = Buffer.from(json)
  const bytes = new Uint8Array(headBytes + text.length + parts.reduce((sum, { length }) => sum + length, 0))
  const head = new DataView(bytes.buffer)
  head.setUint8(0, workFormat)
  head.setUint32(1, text.length)
  bytes.set(text, headBytes)
  let at = headBytes + text.length
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

/** A reference as bytes of {@link referenceFormat}. */
export function encodeReference({ key, bytes, sha256 }: StoredWork): Uint8Array<ArrayBuffer> {
  return Buffer.concat([Uint8Array.of(referenceFormat), Buffer.from(JSON.stringify({ key, bytes, sha256 }))])
}

/** The reference that stands for work, or null where the work itself is there. @throws {Error} when it is damaged. */
export function decodeReference(body: Uint8Array): StoredWork | null {
  if (body[0] !== referenceFormat) return null
  const { key, bytes, sha256 } = JSON.parse(new TextDecoder().decode(body.subarray(1))) as StoredWork
  if (typeof key !== 'string' || typeof sha256 !== 'string' || !Number.isSafeInteger(bytes)) throw new Error('The reference is damaged.')
  return { key, bytes, sha256, contentType: workType }
}

/** @throws {Error} when the bytes are damaged, or of a later format. */
export function decodeWork(bytes: Uint8Array): StoredSubmission {
  const { tokenId = null, traceparent = null, ...work } = readWork(bytes)
  const enlargement = work.kind === 'image' ? readEnlargement(work.request) : null
  return { tokenId, traceparent, work: enlargement === null ? work : { kind: 'enlargement', request: enlargement } }
}

function readWork(bytes: Uint8Array): WrittenWork {
  // Formats 1 and 2 are V8's structured clone, which no other program reads and no later V8 must.
  if (bytes[0] === 1) return upgradeWork(deserialize(bytes.subarray(1)) as WorkV1)
  if (bytes[0] === 2) return deserialize(bytes.subarray(1)) as WrittenWork
  if (bytes[0] !== workFormat) throw new Error(`The stored request has format ${bytes[0]}, which this version does not know.`)
  const jsonEnd = headBytes + new DataView(bytes.buffer, bytes.byteOffset).getUint32(1)
  return readPortable(new TextDecoder().decode(bytes.subarray(headBytes, jsonEnd)), bytes.subarray(jsonEnd)) as WrittenWork
}
