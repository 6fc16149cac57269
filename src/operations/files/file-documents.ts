import type { Document, StoredDocument } from '../../core/document.ts'
import { ServiceError } from '../../core/error.ts'
import type { StoredFile } from '../../core/files/stored-file.ts'
import type { JsonValue } from '../../core/json-value.ts'
import type { OutputStore } from '../../core/ports/output-store.ts'
import type { Abortable } from '../../core/waiting.ts'
import { type DocumentDependencies, documentsFull } from '../account-documents.ts'

/** Dependencies of files. */
export interface FileDependencies extends DocumentDependencies {
  readonly outputs: OutputStore
}

export interface FileTarget {
  readonly accountId: string
  readonly id: string
}

/** The record of a file; its label is the purpose. */
export function fileDocument(file: StoredFile): Document {
  const { id, accountId, name, purpose, bytes, createdAt, expiresAt, parts } = file
  const value: JsonValue = {
    name,
    parts: parts.map(({ key, contentType, bytes: size, sha256 }) => ({ key, contentType, bytes: size, sha256 })),
  }
  return { kind: 'file', id, accountId, value, at: createdAt, label: purpose, text: name, attachedBytes: bytes, expiresAt }
}

/** Reads a file from its record. Only this file writes such records, so their shape is known. */
export function readFileDocument({ id, accountId, value, at, label, attachedBytes, expiresAt }: StoredDocument): StoredFile {
  const { name, parts } = value as unknown as Pick<StoredFile, 'name' | 'parts'>
  return { id, accountId, name, purpose: label as StoredFile['purpose'], bytes: attachedBytes, createdAt: at, expiresAt, parts }
}

/** @throws {ServiceError} `not_found`, with the same message for a foreign, an unknown and a malformed id. */
export async function findFile(
  { documents }: Pick<FileDependencies, 'documents'>,
  target: FileTarget,
  options: Abortable,
): Promise<StoredFile> {
  const found = /^[\w-]{1,128}$/.test(target.id) ? await documents.get({ kind: 'file', ...target }, options) : null
  if (found !== null) return readFileDocument(found)
  throw fileNotFound()
}

/** The error for a file that does not exist. */
export function fileNotFound(): ServiceError {
  return new ServiceError('not_found', 'This file does not exist; it may have been deleted or have expired.')
}

/** The error for files over the account's storage limit. */
export function fileQuotaExceeded(most: number): ServiceError {
  return documentsFull(most, 'delete files that are no longer needed')
}
