import { setImmediate as nextTurn } from 'node:timers/promises'
import type { StoredFile } from '../../core/files/stored-file.ts'
import type { OutputStore } from '../../core/ports/output-store.ts'

/** Bytes read at once. */
const pieceBytes = 256 * 1024

/**
 * The bytes of a file from a place on, piece by piece, each part of it checked before its first piece is given where it is read whole.
 *
 * @throws {ServiceError} `internal_error` when bytes are missing or damaged.
 */
export async function* readFile(
  { outputs }: { readonly outputs: OutputStore },
  { parts }: Pick<StoredFile, 'parts'>,
  { signal, from = 0 }: { readonly signal: AbortSignal; readonly from?: number },
): AsyncGenerator<Uint8Array, void, undefined> {
  let skip = from
  for (const part of parts) {
    if (skip >= part.bytes) {
      skip -= part.bytes
      continue
    }
    if (skip === 0) yield* await outputs.open(part, { signal })
    for (let offset = skip; skip > 0 && offset < part.bytes; offset += pieceBytes)
      yield await outputs.readPart(part, { offset, length: Math.min(pieceBytes, part.bytes - offset) }, { signal })
    skip = 0
  }
}

/** Bytes of lines that are read before everything else gets a turn of the event loop; each line counts as some more, however short. */
const bytesPerTurn = 64 * 1024
const bytesPerLine = 256

/** One line of a file without its end, and where the next one begins. */
export interface FileLine {
  readonly bytes: Buffer<ArrayBuffer>
  readonly next: number
}

/**
 * The lines of a file from a place on; empty ones are left out. Of a line over the limit its beginning is given, and the limit and one more byte.
 *
 * @param most Bytes of a line.
 */
export async function* readLines(
  pieces: AsyncIterable<Uint8Array>,
  { from, most }: { readonly from: number; readonly most: number },
): AsyncGenerator<FileLine, void, undefined> {
  let line: Buffer[] = []
  let length = 0
  let at = from
  let spent = 0
  const keep = (piece: Uint8Array): void => {
    const room = most + 1 - length
    if (room > 0) line.push(Buffer.from(piece.subarray(0, room)))
    length += Math.min(piece.length, Math.max(0, room))
  }
  const take = function* (next: number): Generator<FileLine, void, undefined> {
    if (length === 0) return
    const bytes = Buffer.concat(line)
    line = []
    length = 0
    if (/\S/.test(bytes.toString('latin1', 0, 4096))) yield { bytes, next }
  }
  for await (const piece of pieces) {
    let start = 0
    for (let end = piece.indexOf(10); end !== -1; end = piece.indexOf(10, start)) {
      keep(piece.subarray(start, end))
      start = end + 1
      spent += length + bytesPerLine
      yield* take(at + start)
      if (spent < bytesPerTurn) continue
      spent = 0
      await nextTurn()
    }
    keep(piece.subarray(start))
    at += piece.length
  }
  if (length > 0) yield* take(at)
}
