import { createHash } from 'node:crypto'
import { ServiceError } from '../../core/error.ts'
import type { OutputReference } from '../../core/inference.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { OutputContent, OutputName, OutputStore, StoredOutput } from '../../core/ports/output-store.ts'
import type { Abortable } from '../../core/waiting.ts'
import { damagedOutput, outputsRefused, unreadableOutput } from '../output-faults.ts'
import { claimBucket } from './claim-bucket.ts'
import { type S3Address, S3Bucket } from './s3-bucket.ts'
import { deleteKeys, hourOf, listKeys, makeOutputKey, outputPrefix, readOutputKey } from './s3-objects.ts'

export interface S3OutputsSettings {
  readonly address: S3Address
  /** Id of the cluster, one word; the bucket must belong to it or be unclaimed. */
  readonly cluster: string
  /** Returns the cluster's recorded bucket, after recording `found` if there was none (null = none yet); absent = nothing is recorded. */
  readonly noteBucket?: (found: string | null) => Promise<string | null>
  /** The cluster's clock, used in keys. */
  readonly clock: Clock
  readonly random?: () => number
  /** Replaces `fetch`; absent = direct connections. */
  readonly fetch?: typeof fetch | undefined
}

/** An output store in a bucket that can also import outputs of another store. */
export interface S3OutputStore extends OutputStore {
  /** Stores bytes under the key of their reference; an existing object must be the same. */
  adopt(reference: OutputReference, bytes: Uint8Array<ArrayBuffer>, options: Abortable): Promise<void>
}

/** Metadata header of every object. */
const sha256Header = 'x-amz-meta-sha256'
/** Bytes per read. */
const pieceBytes = 1024 * 1024

/**
 * Stores outputs as objects in a bucket, each under a unique key; a missing bucket is created.
 *
 * @throws {Error} if the bucket belongs to another cluster, the cluster uses another bucket, or the server refuses.
 */
export async function openS3Outputs(settings: S3OutputsSettings, options: Abortable): Promise<S3OutputStore> {
  const { address, clock, cluster, random = Math.random, noteBucket = async (found) => found, fetch: ask = fetch } = settings
  const bucket = new S3Bucket({ address, clock, random, fetch: ask })
  await claimBucket(bucket, { name: address.bucket, region: address.region, cluster, noteBucket }, options)
  return new S3Outputs(bucket, clock)
}

class S3Outputs implements S3OutputStore {
  readonly #bucket: S3Bucket
  readonly #clock: Clock

  constructor(bucket: S3Bucket, clock: Clock) {
    this.#bucket = bucket
    this.#clock = clock
  }

  async put(name: OutputName, { contentType, chunks }: OutputContent, options: Abortable): Promise<OutputReference> {
    options.signal.throwIfAborted()
    const key = makeOutputKey(name, this.#clock.now())
    if (key === null) throw new ServiceError('internal_error', "The output's name is not valid.")
    const body = Buffer.concat([...chunks])
    const sha256 = createHash('sha256').update(body).digest('hex')
    const reference = { key, contentType, bytes: body.length, sha256 }
    await this.adopt(reference, body, options)
    return reference
  }

  async adopt({ key, contentType, sha256 }: OutputReference, body: Uint8Array<ArrayBuffer>, options: Abortable): Promise<void> {
    checkKey(key)
    const headers = {
      'content-type': contentType,
      'content-md5': createHash('md5').update(body).digest('base64'),
      [sha256Header]: sha256,
      'if-none-match': '*',
    }
    const answer = await this.#bucket.call({ method: 'PUT', key, headers, body }, options)
    const { status } = answer
    // An attempt whose answer was lost may have stored it; the key is unique.
    if (status === 412) {
      const stored = await this.#bucket.call({ method: 'HEAD', key }, options)
      if (stored.headers.get(sha256Header) !== sha256) throw damagedOutput(key)
    } else if (status >= 300) throw new Error(`The S3 server answered ${status} to a new output.`)
    // Another kind of server may be at this address and accept everything.
    else if (!answer.headers.has('etag'))
      throw outputsRefused(new Error('The server that answered 200 to a new output is not an S3 server; correct s3-url.'))
  }

  async open(reference: OutputReference, options: Abortable): Promise<AsyncIterable<Uint8Array>> {
    const hash = createHash('sha256')
    let first: Piece | undefined
    for (let offset = 0; offset < reference.bytes || offset === 0; offset += pieceBytes) {
      const piece = await this.#read(reference, { offset, length: pieceBytes, etag: first?.etag }, options)
      hash.update(piece.bytes)
      first ??= piece
    }
    if (hash.digest('hex') !== reference.sha256 || first === undefined) throw damagedOutput(reference.key)
    return reference.bytes <= pieceBytes ? once(first.bytes) : this.#again(reference, first, options)
  }

  async readPart(
    reference: OutputReference,
    { offset, length }: { readonly offset: number; readonly length: number },
    options: Abortable,
  ): Promise<Uint8Array> {
    const until = Math.min(offset + length, reference.bytes)
    const pieces: Uint8Array[] = []
    for (let from = offset; from < until || pieces.length === 0; from += pieceBytes)
      pieces.push((await this.#read(reference, { offset: from, length: Math.min(pieceBytes, until - from) }, options)).bytes)
    return Buffer.concat(pieces)
  }

  async delete(keys: readonly string[], options: Abortable): Promise<void> {
    for (const key of keys) checkKey(key)
    await deleteKeys(this.#bucket, [...new Set(keys)], options)
  }

  async *listOld({ olderThan }: { readonly olderThan: number }, options: Abortable): AsyncGenerator<StoredOutput> {
    const lastHour = `${outputPrefix}${hourOf(olderThan)}/`
    for await (const key of listKeys(this.#bucket, outputPrefix, options)) {
      if (key.slice(0, lastHour.length) > lastHour) return
      const read = readOutputKey(key)
      if (read !== null && read.storedAt < olderThan) yield { key, inferenceId: read.inferenceId }
    }
  }

  /** Reads the bytes again, from the same object that was checked, and checks them again while sending. */
  async *#again(reference: OutputReference, first: Piece, options: Abortable): AsyncGenerator<Uint8Array, void, undefined> {
    const hash = createHash('sha256').update(first.bytes)
    yield first.bytes
    for (let offset = pieceBytes; offset < reference.bytes; offset += pieceBytes) {
      const { bytes } = await this.#read(reference, { offset, length: pieceBytes, etag: first.etag }, options)
      hash.update(bytes)
      yield bytes
    }
    if (hash.digest('hex') !== reference.sha256) throw damagedOutput(reference.key)
  }

  async #read(
    { key, bytes: whole }: OutputReference,
    { offset, length, etag }: { readonly offset: number; readonly length: number; readonly etag?: string | undefined },
    options: Abortable,
  ): Promise<Piece> {
    checkKey(key)
    const wanted = Math.max(0, Math.min(length, whole - offset))
    if (wanted === 0 && whole > 0) return { bytes: Buffer.alloc(0), etag }
    // Ranges of an empty object cannot be requested.
    const range = whole === 0 ? {} : { range: `bytes=${offset}-${offset + wanted - 1}` }
    const headers = { ...range, ...(etag === undefined ? {} : { 'if-match': etag }) }
    const answer = await this.#bucket.call({ method: 'GET', key, headers, answerBytes: pieceBytes }, options)
    if (answer.status === 404) throw unreadableOutput(new Error('no such object'))
    if (answer.status < 300 && answer.body.length !== wanted && !answer.headers.has(sha256Header))
      throw outputsRefused(
        new Error(`The answer ${answer.status} to GET ${key} is not a stored object; correct s3-url, or check the proxy in front of it.`),
      )
    if (answer.status >= 300 || answer.body.length !== wanted) throw damagedOutput(key)
    return { bytes: answer.body, etag: answer.headers.get('etag') ?? undefined }
  }
}

interface Piece {
  readonly bytes: Uint8Array
  readonly etag: string | undefined
}

function checkKey(key: string): void {
  // Keys are built from ids generated by the queue; anything else must not become part of a URL.
  if (readOutputKey(key) === null) throw new ServiceError('internal_error', "The output's key is not valid.")
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes
}
