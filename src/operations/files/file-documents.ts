import type { Document, StoredDocument } from '../../core/document.ts'
import { ServiceError } from '../../core/error.ts'
import type { StoredFile } from '../../core/files/stored-file.ts'
import type { JsonValue } from '../../core/json-value.ts'
import type { DocumentStore } from '../../core/ports/document-store.ts'
import type { OutputStore } from '../../core/ports/output-store.ts'
import { documentsFull } from '../documents-full.ts'

/** What files are kept in, and how much of it an account may use. */
export interface FileDependencies {
  readonly documents: DocumentStore
  readonly outputs: OutputStore
  readonly clock: { now(): number }
  /** Bytes of an account's documents and files in all. */
  readonly mostDocumentBytes: number
}

export interface FileTarget {
  readonly accountId: string
  readonly id: string
}

/** A file's record; its label is what it is for. */
export function fileDocument(file: StoredFile): Document {
  const { id, accountId, name, purpose, bytes, createdAt, expiresAt, parts } = file
  const value: JsonValue = {
    name,
    parts: parts.map(({ key, contentType, bytes: size, sha256 }) => ({ key, contentType, bytes: size, sha256 })),
  }
  return { kind: 'file', id, accountId, value, at: createdAt, label: purpose, text: name, attachedBytes: bytes, expiresAt }
}

/** A file of its record; records of this kind are written here and nowhere else, so that their shape is known. */
export function readFileDocument({ id, accountId, value, at, label, attachedBytes, expiresAt }: StoredDocument): StoredFile {
  const { name, parts } = value as unknown as Pick<StoredFile, 'name' | 'parts'>
  return { id, accountId, name, purpose: label as StoredFile['purpose'], bytes: attachedBytes, createdAt: at, expiresAt, parts }
}

/** @throws {ServiceError} `not_found`, in the same words for a foreign, an unknown and a malformed id. */
export async function findFile(
  { documents }: Pick<FileDependencies, 'documents'>,
  target: FileTarget,
  options: { readonly signal: AbortSignal },
): Promise<StoredFile> {
  const found = /^[\w-]{1,128}$/.test(target.id) ? await documents.get({ kind: 'file', ...target }, options) : null
  if (found !== null) return readFileDocument(found)
  throw new ServiceError('not_found', 'This file does not exist; it may have been deleted or have expired.')
}

/** Refuses what an account may not keep besides. */
export function fileQuotaExceeded(most: number): ServiceError {
  return documentsFull(most, 'delete files that are no longer needed')
}
