import type { IncomingMessage } from 'node:http'
import { finished, type Readable, type Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw, createZstdDecompress } from 'node:zlib'
import type { AnswerLimits } from './limit-time.ts'
import { makeBrokenError } from './upstream-error.ts'

/** Maximum codings of one answer; proxies in front of a server that compresses add a second one. */
const maxCodings = 2
/** Maximum window that zstd may use over HTTP, 8 MB (RFC 9659). */
const zstdWindow = { params: { [constants.ZSTD_d_windowLogMax]: 23 } }

/** Decoders by content coding. They get the first bytes, because some servers send `deflate` without the zlib header. */
const decoders: Readonly<Record<string, (first: Buffer) => Transform>> = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  deflate: (first) => (hasZlibHeader(first) ? createInflate() : createInflateRaw()),
  br: () => createBrotliDecompress(),
  zstd: () => createZstdDecompress(zstdWindow),
}

/** Compressions of an answer, in the order in which they were applied. Servers also send `none` or the name of a character set. */
function compressionsOf({ headers: { 'content-encoding': coding = '' } }: IncomingMessage): readonly string[] {
  if (coding === '') return []
  const named = coding.split(',').map((name) => name.trim().toLowerCase())
  return named.filter((name) => Object.hasOwn(decoders, name) || /^(?:x-)?compress$/.test(name))
}

/** Whether an answer is compressed, although `identity` was requested. */
export function isCompressed(response: IncomingMessage): boolean {
  return compressionsOf(response).length > 0
}

/** @throws {ServiceError} `inference_failed` for an answer that is compressed in a way that cannot be read. */
function refuseUnknown(found: readonly string[]): void {
  if (found.length <= maxCodings && found.every((name) => name in decoders)) return
  throw makeBrokenError(
    `compressed its answer (${found.join(', ').slice(0, 40)}), which was not requested; turn that off there, or in the proxy in front of it`,
  )
}

/**
 * Yields the decompressed bytes of a compressed answer as they arrive, at most 16 KB at once. The time limits apply to decompressed bytes: a server that sends
 * only headers of a format is silent. If the connection breaks, what arrived before is yielded first. The response is destroyed unless it was read to the end.
 *
 * @throws {ServiceError} `inference_failed` if the answer is late, damaged or incomplete, or compressed in a way that cannot be read.
 */
export async function* decompressAnswer(response: IncomingMessage, limits: AnswerLimits): AsyncGenerator<Buffer, void, undefined> {
  // From here on, decompressed bytes count.
  response.socket.setTimeout(0)
  let pieces = readToBreak<Buffer>(response)
  try {
    const codings = compressionsOf(response)
    refuseUnknown(codings)
    for (const coding of codings.toReversed()) pieces = decompress(pieces, coding)
    for (let isFirst = true; ; isFirst = false) {
      const { done, value } = await limits.wait(pieces.next(), { isFirst, end: (late) => response.destroy(late) })
      if (done === true) break
      yield value
    }
    // What arrived may end like a whole answer, since compressed data may consist of several parts.
    if (response.errored !== null) throw response.errored
  } finally {
    if (!response.readableEnded) response.destroy()
    await pieces.return()
  }
}

/** Yields all pieces of a stream, including those that arrive together with an error, which the stream's iterator drops. Does not destroy the stream. */
export async function* readToBreak<Piece>(stream: Readable): AsyncGenerator<Piece, void, undefined> {
  try {
    yield* stream.iterator({ destroyOnReturn: false })
  } catch (cause) {
    const rest: Piece | null = stream.read()
    if (rest !== null) yield rest
    throw cause
  }
}

async function* decompress(source: AsyncGenerator<Buffer, void, undefined>, coding: string): AsyncGenerator<Buffer, void, undefined> {
  const first = await source.next()
  if (first.done === true) return
  const decoder = decoders[coding]?.(first.value)
  if (decoder === undefined) return
  const feeding = feed(decoder, first.value, source)
  try {
    yield* readToBreak<Buffer>(decoder)
  } catch (cause) {
    throw (await feeding) ?? makeBrokenError(`sent a damaged or incomplete answer (${coding})`, cause)
  } finally {
    decoder.destroy()
  }
}

/** Writes the compressed bytes into the decoder; returns the error that ended them early, if any. */
async function feed(decoder: Transform, first: Buffer, source: AsyncGenerator<Buffer, void, undefined>): Promise<unknown> {
  let isOpen = true
  const closed = Promise.withResolvers<void>()
  finished(decoder, () => {
    isOpen = false
    closed.resolve()
  })
  try {
    for (let piece: IteratorResult<Buffer, void> = { value: first }; piece.done !== true && isOpen; piece = await source.next()) {
      // If the end came before a piece is decoded, an incomplete answer would lose the text of that piece.
      const decoded = Promise.withResolvers<void>()
      decoder.write(piece.value, () => decoded.resolve())
      await Promise.race([decoded.promise, closed.promise])
    }
    return undefined
  } catch (cause) {
    return cause
  } finally {
    if (!decoder.destroyed) decoder.end()
    await source.return()
  }
}

/** Whether data begins with the header that RFC 9110 requires for `deflate`. */
function hasZlibHeader(first: Buffer): boolean {
  return first.length < 2 || (first.readUInt16BE(0) % 31 === 0 && (first.readUInt8(0) & 15) === 8)
}
