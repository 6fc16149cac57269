import { ServiceError } from '../core/error.ts'
import type { DocumentStore } from '../core/ports/document-store.ts'

/** Dependencies of operations on documents that count against their account's storage limit. */
export interface DocumentDependencies {
  readonly documents: DocumentStore
  readonly clock: { now(): number }
  /** Maximum bytes of an account's documents. */
  readonly maxDocumentBytes: number
}

/**
 * The error for an account whose documents exceed its storage limit.
 *
 * @param most The limit in bytes.
 * @param remedy How to make room, as the end of a sentence.
 */
export function documentsFull(most: number, remedy: string): ServiceError {
  return new ServiceError('quota_exceeded', `This account would exceed its ${Math.floor(most / 1e6)} MB (account-documents); ${remedy}.`, {
    retryAfterSeconds: 120,
  })
}
