import type { Document, DocumentKind, StoredDocument } from '../document.ts'

type Options = { readonly signal: AbortSignal }

/** One document of one account; `accountId: null` asks for it regardless of its owner (public things, and the service's own duties). */
export interface DocumentKey {
  readonly kind: DocumentKind
  readonly id: string
  readonly accountId: string | null
}

export interface DocumentQuery {
  readonly kind: DocumentKind
  /** null = of every account. */
  readonly accountId: string | null
  /** Only those with this label; left out = all. */
  readonly label?: string
  /** Only those whose text contains this, whatever the case. */
  readonly search?: string
  readonly order: 'newest' | 'oldest'
  /** The last document of the page before, by what orders it; null = from the start. */
  readonly after: { readonly at: number; readonly id: string } | null
  readonly limit: number
}

/** What became of a write: `full` when the account would keep more than it may, `conflict` when the document is not of the expected version, or another's. */
export type PutResult = 'stored' | 'full' | 'conflict'

/**
 * What accounts keep besides requests: stored responses and chats, files' and batches' records, conversations, assets.
 * What has expired is not found by anything but `takeExpired`. Writes are durable when they return.
 */
export interface DocumentStore {
  /**
   * Makes the document, or replaces the account's own.
   *
   * @param version What is replaced must be of: a number, null = there must be none, left out = either.
   * @param most Bytes that the account's documents may take in all afterwards; one that takes no more than before is never refused.
   */
  put(document: Document, options: Options & { readonly version?: number | null; readonly most: number }): Promise<PutResult>
  /** Null when there is none, or it is another account's. */
  get(key: DocumentKey, options: Options): Promise<StoredDocument | null>
  /** Ordered by `at`, and by id where that is equal. */
  list(query: DocumentQuery, options: Options): Promise<readonly StoredDocument[]>
  /** Ids and versions of an account's documents with a label, without what they hold. */
  versions(
    of: { readonly kind: DocumentKind; readonly accountId: string; readonly label: string; readonly limit: number },
    options: Options,
  ): Promise<ReadonlyMap<string, number>>
  /** Whether there was one. */
  remove(key: DocumentKey, options: Options): Promise<boolean>
  /** Count and bytes of an account's documents, of one kind or of all. */
  sum(
    of: { readonly accountId: string; readonly kind: DocumentKind | null },
    options: Options,
  ): Promise<{ readonly count: number; readonly bytes: number }>
  /** Removes what has expired, the longest ago first, `limit` at most, and says what it was, so that what is attached can go too. */
  takeExpired(limit: number, options: Options): Promise<readonly StoredDocument[]>
}
