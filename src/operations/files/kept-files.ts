import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type FilePurpose, filePartBytes, filePrefix, type StoredFile } from '../../core/files/stored-file.ts'
import type { OutputReference } from '../../core/inference.ts'
import type { OutputStore } from '../../core/ports/output-store.ts'
import { type Abortable, neverAborted } from '../../core/waiting.ts'
import { removeWithFiles } from '../account-bytes.ts'
import { refuseOpenInput } from '../batches/batches.ts'
import { type FileDependencies, type FileTarget, fileDocument, fileNotFound, fileQuotaExceeded, findFile } from './file-documents.ts'

/** Stored bytes without a record yet; without one they are deleted as orphans. */
export interface StoredBytes {
  readonly accountId: string
  readonly uuid: string
  readonly bytes: number
  readonly parts: readonly OutputReference[]
}

/**
 * Stores the bytes of a file in parts as they arrive, with little of it in memory. An incomplete file leaves nothing behind.
 *
 * @throws {ServiceError} `quota_exceeded` as soon as the account exceeds its limit, and the errors of the content.
 */
export async function storeBytes(
  { documents, outputs, maxDocumentBytes: most }: FileDependencies,
  { accountId, content }: { readonly accountId: string; readonly content: AsyncIterable<Uint8Array> },
  options: Abortable,
): Promise<StoredBytes> {
  const uuid = randomUUID()
  const parts: OutputReference[] = []
  const { bytes: before } = await documents.sum({ accountId, kind: null }, options)
  let bytes = 0
  try {
    for await (const part of inParts(content)) {
      bytes += part.reduce((sum, { length }) => sum + length, 0)
      if (before + bytes > most) throw fileQuotaExceeded(most)
      const stored = { contentType: 'application/octet-stream', chunks: part }
      parts.push(await outputs.put({ inferenceId: uuid, attempt: parts.length + 1 }, stored, options))
    }
    return { accountId, uuid, bytes, parts }
  } catch (error) {
    await dropBytes({ outputs }, { parts })
    throw error
  }
}

/** Deletes bytes without a record. */
export async function dropBytes({ outputs }: Pick<FileDependencies, 'outputs'>, { parts }: Pick<StoredBytes, 'parts'>): Promise<void> {
  await outputs.delete(
    parts.map(({ key }) => key),
    neverAborted,
  )
}

/**
 * Creates the record of stored bytes; when this resolves the file is on stable storage. Bytes that exceed the quota are deleted. After any
 * other error the record may exist, so its bytes stay; without a record they are deleted as orphans.
 *
 * @param file.lifetimeMs Milliseconds from now; null = unlimited.
 * @throws {ServiceError} `quota_exceeded`.
 */
export async function keepFile(
  deps: FileDependencies,
  stored: StoredBytes,
  { name, purpose, lifetimeMs }: { readonly name: string; readonly purpose: FilePurpose; readonly lifetimeMs: number | null },
  options: Abortable,
): Promise<StoredFile> {
  const { documents, clock, maxDocumentBytes: most } = deps
  const { accountId, uuid, bytes, parts } = stored
  const createdAt = clock.now()
  const expiresAt = lifetimeMs === null ? null : createdAt + lifetimeMs
  const file = { id: `${filePrefix}${uuid}`, accountId, name, purpose, bytes, createdAt, expiresAt, parts }
  if ((await documents.put(fileDocument(file), { ...options, version: null, most })) === 'stored') return file
  await dropBytes(deps, stored)
  throw fileQuotaExceeded(most)
}

async function* inParts(content: AsyncIterable<Uint8Array>): AsyncGenerator<readonly Uint8Array[], void, undefined> {
  let part: Uint8Array[] = []
  let size = 0
  for await (const piece of content) {
    part.push(piece)
    size += piece.length
    if (size < filePartBytes) continue
    yield part
    part = []
    size = 0
  }
  if (size > 0) yield part
}

/** Bytes per read. */
const pieceBytes = 256 * 1024

/**
 * Reads a file from an offset in pieces. Parts that are read as a whole are checked before their first piece is returned.
 *
 * @throws {ServiceError} `internal_error` if bytes are missing or damaged.
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

/** Bytes of lines read before yielding to the event loop; each line also counts a fixed amount. */
const bytesPerTurn = 64 * 1024
const bytesPerLine = 256

/** One line without its line end, and the offset of the next. */
export interface FileLine {
  readonly bytes: Buffer<ArrayBuffer>
  readonly next: number
}

/**
 * Reads lines from an offset, skipping empty ones. A line over the limit is cut to the limit plus one byte.
 *
 * @param most Maximum bytes per line.
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

/**
 * Deletes one of the account's files, its record before its bytes.
 *
 * @throws {ServiceError} `not_found`; `not_completed` for the input of a batch that has not ended.
 */
export async function removeFile(
  deps: Pick<FileDependencies, 'documents' | 'outputs'>,
  target: FileTarget,
  options: Abortable,
): Promise<void> {
  const { purpose } = await findFile(deps, target, options)
  if (purpose === 'batch') await refuseOpenInput(deps, target, options)
  if (!(await removeWithFiles(deps, { kind: 'file', ...target }, options))) throw fileNotFound()
}
