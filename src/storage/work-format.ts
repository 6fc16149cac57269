import { randomInt } from 'node:crypto'
import { deserialize } from 'node:v8'
import type { ImageRequest } from '../core/image-generation.ts'
import { readEnlargement, writeEnlargement } from '../core/images/earlier-enlargement.ts'
import type { InferenceWork, OutputReference, Submission } from '../core/inference.ts'
import { readPortable, writePortable } from '../core/portable-value.ts'
import { defaultMaxTokens, type SamplingParameters, type TextRequest } from '../core/text-generation.ts'

/**
 * The format of stored work. This version reads it and all earlier ones; work in a later format stays in the queue for newer nodes.
 *
 * Increase it when the domain's requests change, and convert earlier forms in `upgradeWork`; the databases in `test/fixtures/data-folders`
 * contain work in each format.
 */
export const workFormat = 3

/**
 * The format of a reference to work of {@link workFormat} that is stored elsewhere. Increase both together, to numbers never used before: a
 * reader of a format reads all lower ones.
 */
export const referenceFormat = 4

/** Content type of encoded work in the output store. */
export const workType = 'application/vnd.sepia.work'

/** Location of encoded work that is too large for its record. */
export type StoredWork = Omit<OutputReference, 'images'>

/** Bytes before the JSON: the format, and the length of the JSON as a big-endian 32-bit integer. */
const headBytes = 5

/** The stored parts of a submission, besides its record. */
export type StoredSubmission = Pick<Submission<InferenceWork>, 'tokenId' | 'traceparent' | 'work'>

/** The stored form: token and trace are fields beside the work, absent if null. */
type WrittenWork = InferenceWork & { readonly traceparent?: string; readonly tokenId?: string }

/** Encodes a submission independently of version, store and language: a head, JSON, and the concatenated images. */
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

/** Encodes a reference in {@link referenceFormat}. */
export function encodeReference({ key, bytes, sha256 }: StoredWork): Uint8Array<ArrayBuffer> {
  return Buffer.concat([Uint8Array.of(referenceFormat), Buffer.from(JSON.stringify({ key, bytes, sha256 }))])
}

/** Decodes a reference; null = the bytes are the work itself. @throws {Error} if it is damaged. */
export function decodeReference(body: Uint8Array): StoredWork | null {
  if (body[0] !== referenceFormat) return null
  const { key, bytes, sha256 } = JSON.parse(new TextDecoder().decode(body.subarray(1))) as StoredWork
  if (typeof key !== 'string' || typeof sha256 !== 'string' || !Number.isSafeInteger(bytes)) throw new Error('The reference is damaged.')
  return { key, bytes, sha256, contentType: workType }
}

/** @throws {Error} if the bytes are damaged or in a later format. */
export function decodeWork(bytes: Uint8Array): StoredSubmission {
  const { tokenId = null, traceparent = null, ...work } = readWork(bytes)
  const enlargement = work.kind === 'image' ? readEnlargement(work.request) : null
  return { tokenId, traceparent, work: enlargement === null ? work : { kind: 'enlargement', request: enlargement } }
}

function readWork(bytes: Uint8Array): WrittenWork {
  // Formats 1 and 2 are V8 structured clones, which other programs and later V8 versions may be unable to read.
  if (bytes[0] === 1) return upgradeWork(deserialize(bytes.subarray(1)) as WorkV1)
  if (bytes[0] === 2) return deserialize(bytes.subarray(1)) as WrittenWork
  if (bytes[0] !== workFormat) throw new Error(`The stored request has format ${bytes[0]}, which this version does not know.`)
  const jsonEnd = headBytes + new DataView(bytes.buffer, bytes.byteOffset).getUint32(1)
  return readPortable(new TextDecoder().decode(bytes.subarray(headBytes, jsonEnd)), bytes.subarray(jsonEnd)) as WrittenWork
}

/** Differences of image requests in format 1: null meant the default, and some fields did not exist. */
interface ImageRequestV1 extends Omit<ImageRequest, 'prompt2' | 'negative' | 'clipSkip' | 'mask' | 'guidanceRescale' | 'loras'> {
  readonly prompt2: string | null
  readonly negativePrompt: string | null
  readonly negativePrompt2: string | null
  readonly clipSkip: number | null
  readonly mask: Omit<NonNullable<ImageRequest['mask']>, 'blur'> | null
}

/** Differences of text requests in format 1: null meant the default, or a random seed. */
interface TextRequestV1 extends Omit<TextRequest, 'maxTokens' | 'sampling'> {
  readonly maxTokens: number | null
  readonly sampling: Omit<SamplingParameters, 'seed'> & { readonly seed: number | null }
}

/** Work as stored in format 1. */
type WorkV1 = { readonly kind: 'chat'; readonly request: TextRequestV1 } | { readonly kind: 'image'; readonly request: ImageRequestV1 }

/** Converts work of format 1 without changing its meaning. */
function upgradeWork(work: WorkV1): InferenceWork {
  if (work.kind === 'chat') return { ...work, request: upgradeText(work.request) }
  const { prompt2, negativePrompt, negativePrompt2, clipSkip, mask, ...same } = work.request
  const negative =
    (negativePrompt ?? negativePrompt2) === null
      ? null
      : { prompt: negativePrompt ?? '', prompt2: negativePrompt2 || (negativePrompt ?? '') }
  return {
    ...work,
    request: {
      ...same,
      prompt2: prompt2 || same.prompt,
      negative,
      clipSkip: clipSkip ?? 0,
      mask: mask && { ...mask, blur: 0 },
      guidanceRescale: 0,
      loras: [],
    },
  }
}

function upgradeText({ maxTokens, sampling, ...same }: TextRequestV1): TextRequest {
  const seed = sampling.seed === null ? randomInt(2 ** 32) : Number(BigInt.asUintN(32, BigInt(sampling.seed)))
  return { ...same, maxTokens: maxTokens ?? defaultMaxTokens, sampling: { ...sampling, seed } }
}
