import { randomUUID } from 'node:crypto'
import { type FilePurpose, filePartBytes, filePrefix, type StoredFile } from '../../core/files/stored-file.ts'
import type { OutputReference } from '../../core/inference.ts'
import { unstoppable } from '../../core/waiting.ts'
import { type FileDependencies, fileDocument, fileQuotaExceeded } from './file-documents.ts'

/** Bytes of a file that has no record yet; without one they are deleted as orphans. */
export interface StoredBytes {
  readonly accountId: string
  readonly uuid: string
  readonly bytes: number
  readonly parts: readonly OutputReference[]
}

/**
 * Stores the bytes of a file, part by part as they come in, so that hardly any of it is in memory. One that does not come in whole leaves
 * nothing.
 *
 * @throws {ServiceError} `quota_exceeded` as soon as the account would keep too much, and what the content throws.
 */
export async function storeBytes(
  { documents, outputs, mostDocumentBytes: most }: FileDependencies,
  { accountId, content }: { readonly accountId: string; readonly content: AsyncIterable<Uint8Array> },
  options: { readonly signal: AbortSignal },
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

/** Deletes bytes that get no record. */
export async function dropBytes({ outputs }: Pick<FileDependencies, 'outputs'>, { parts }: Pick<StoredBytes, 'parts'>): Promise<void> {
  await outputs.delete(
    parts.map(({ key }) => key),
    unstoppable,
  )
}

/**
 * Makes a file of stored bytes; once this resolves it is on stable storage.
 *
 * @param file.lifetimeMs Milliseconds from now; null = for ever.
 * @throws {ServiceError} `quota_exceeded`.
 */
export async function keepFile(
  deps: FileDependencies,
  { accountId, uuid, bytes, parts }: StoredBytes,
  { name, purpose, lifetimeMs }: { readonly name: string; readonly purpose: FilePurpose; readonly lifetimeMs: number | null },
  options: { readonly signal: AbortSignal },
): Promise<StoredFile> {
  const { documents, clock, mostDocumentBytes: most } = deps
  const createdAt = clock.now()
  const expiresAt = lifetimeMs === null ? null : createdAt + lifetimeMs
  const file = { id: `${filePrefix}${uuid}`, accountId, name, purpose, bytes, createdAt, expiresAt, parts }
  if ((await documents.put(fileDocument(file), { ...options, version: null, most })) === 'stored') return file
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
