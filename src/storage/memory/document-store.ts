import type { Document, DocumentKind, StoredDocument } from '../../core/document.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { DocumentKey, DocumentQuery, DocumentStore, PutResult } from '../../core/ports/document-store.ts'
import { documentBytes } from '../document-bytes.ts'

type Options = { readonly signal: AbortSignal }

interface KeptDocument extends StoredDocument {
  /** In lower case. */
  readonly text: string
}

/** Documents that are gone when the process is. */
export class MemoryDocumentStore implements DocumentStore {
  readonly #clock: Clock
  readonly #documents = new Map<string, KeptDocument>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async put(
    document: Document,
    { signal, version, most }: Options & { readonly version?: number | null; readonly most: number },
  ): Promise<PutResult> {
    signal.throwIfAborted()
    const known = this.#find({ ...document, accountId: null })
    if (known !== undefined && known.accountId !== document.accountId) return 'conflict'
    if (version !== undefined && version !== (known?.version ?? null)) return 'conflict'
    const bytes = documentBytes(document)
    const growth = bytes - (known?.bytes ?? 0)
    if (growth > 0 && total(this.#own(document.accountId)) + growth > most) return 'full'
    const kept = { ...structuredClone(document), text: document.text.toLowerCase(), version: (known?.version ?? 0) + 1, bytes }
    this.#documents.set(nameOf(document), kept)
    return 'stored'
  }

  async get(key: DocumentKey, { signal }: Options): Promise<StoredDocument | null> {
    signal.throwIfAborted()
    const known = this.#find(key)
    return known === undefined ? null : give(known)
  }

  async list(
    { kind, accountId, label, search, order, after, limit }: DocumentQuery,
    { signal }: Options,
  ): Promise<readonly StoredDocument[]> {
    signal.throwIfAborted()
    const compare = order === 'newest' ? (a: Place, b: Place) => comparePlaces(b, a) : comparePlaces
    return this.#living()
      .filter((document) => document.kind === kind && (accountId === null || document.accountId === accountId))
      .filter((document) => label === undefined || document.label === label)
      .filter(({ text }) => search === undefined || text.includes(search.toLowerCase()))
      .filter((document) => after === null || compare(document, after) > 0)
      .sort(compare)
      .slice(0, limit)
      .map(give)
  }

  async remove(key: DocumentKey, { signal }: Options): Promise<boolean> {
    signal.throwIfAborted()
    const known = this.#find(key)
    return known !== undefined && this.#documents.delete(nameOf(known))
  }

  async sum(
    { accountId, kind }: { readonly accountId: string; readonly kind: DocumentKind | null },
    { signal }: Options,
  ): Promise<{ readonly count: number; readonly bytes: number }> {
    signal.throwIfAborted()
    const own = this.#own(accountId).filter((document) => kind === null || document.kind === kind)
    return { count: own.length, bytes: total(own) }
  }

  async takeExpired(limit: number, { signal }: Options): Promise<readonly StoredDocument[]> {
    signal.throwIfAborted()
    const expired = [...this.#documents.values()]
      .filter((document) => !this.#lives(document))
      .sort((a, b) => (a.expiresAt ?? 0) - (b.expiresAt ?? 0))
      .slice(0, limit)
    for (const document of expired) this.#documents.delete(nameOf(document))
    return expired.map(give)
  }

  #find({ kind, id, accountId }: DocumentKey): KeptDocument | undefined {
    const known = this.#documents.get(nameOf({ kind, id }))
    if (known === undefined || !this.#lives(known)) return undefined
    return accountId === null || known.accountId === accountId ? known : undefined
  }

  #own(accountId: string): readonly KeptDocument[] {
    return this.#living().filter((document) => document.accountId === accountId)
  }

  #living(): KeptDocument[] {
    return [...this.#documents.values()].filter((document) => this.#lives(document))
  }

  #lives({ expiresAt }: KeptDocument): boolean {
    return expiresAt === null || expiresAt > this.#clock.now()
  }
}

type Place = { readonly at: number; readonly id: string }

function comparePlaces(a: Place, b: Place): number {
  return a.at - b.at || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
}

function total(documents: readonly KeptDocument[]): number {
  return documents.reduce((sum, { bytes }) => sum + bytes, 0)
}

function nameOf({ kind, id }: { readonly kind: DocumentKind; readonly id: string }): string {
  return `${kind}/${id}`
}

function give({ text: _, ...document }: KeptDocument): StoredDocument {
  return structuredClone(document)
}
