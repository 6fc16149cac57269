import type { Document, DocumentKind, StoredDocument } from '../document.ts'
import type { Abortable } from '../waiting.ts'

/** A document of an account; `accountId: null` matches any owner, for public documents and background tasks. */
export interface DocumentKey {
  readonly kind: DocumentKind
  readonly id: string
  readonly accountId: string | null
}

export interface DocumentQuery {
  readonly kind: DocumentKind
  /** null = all accounts. */
  readonly accountId: string | null
  /** Only documents with this label; absent = all. */
  readonly label?: string | undefined
  /** Only documents whose text contains this, ignoring case. */
  readonly search?: string | undefined
  readonly order: 'newest' | 'oldest'
  /** Sort key of the last document of the previous page; null = from the start. */
  readonly after: { readonly at: number; readonly id: string } | null
  readonly limit: number
}

/** Result of a write: `full` = over the account's storage limit, `conflict` = not the expected version, or another account's document. */
export type PutResult = 'stored' | 'full' | 'conflict'

/**
 * Stores documents of accounts: responses and chats, records of files and batches, conversations, assets. Only `takeExpired` finds expired
 * documents. Writes are durable when they return.
 */
export interface DocumentStore {
  /**
   * Creates or replaces a document.
   *
   * @param version Required version of the existing document: null = it must not exist, absent = any.
   * @param most Maximum total bytes of the account's documents afterwards; a document that does not grow is never refused.
   */
  put(document: Document, options: Abortable & { readonly version?: number | null; readonly most: number }): Promise<PutResult>
  /** Finds a document; null = none, or it belongs to another account. */
  get(key: DocumentKey, options: Abortable): Promise<StoredDocument | null>
  /** Documents sorted by `at`, then by id. */
  list(query: DocumentQuery, options: Abortable): Promise<readonly StoredDocument[]>
  /** Ids and versions of an account's documents with a label. */
  versions(
    of: { readonly kind: DocumentKind; readonly accountId: string; readonly label: string; readonly limit: number },
    options: Abortable,
  ): Promise<ReadonlyMap<string, number>>
  /** Removes a document; returns whether it existed. */
  remove(key: DocumentKey, options: Abortable): Promise<boolean>
  /** Number and total bytes of an account's documents, of one kind or all. */
  sum(
    of: { readonly accountId: string; readonly kind: DocumentKind | null },
    options: Abortable,
  ): Promise<{ readonly count: number; readonly bytes: number }>
  /** Removes expired documents, longest expired first, at most `limit`, and returns them so that attached files can be deleted too. */
  takeExpired(limit: number, options: Abortable): Promise<readonly StoredDocument[]>
}
