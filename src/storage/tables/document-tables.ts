import type { Document, DocumentKind, StoredDocument } from '../../core/document.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { DocumentKey, DocumentQuery } from '../../core/ports/document-store.ts'
import { documentBytes, documentParameters, readDocument, readVersions } from '../rows/document-row.ts'
import { type Row, readInteger, readText, type Values } from '../rows/row.ts'
import { repeatable, type Statements, Tables } from './statements.ts'

const alive = '(expires_at is null or expires_at > :now)'

/** Documents in either database, except the writes that check limits. */
export abstract class DocumentTables<Database extends Statements> extends Tables<Database> {
  readonly #position: string

  /** @param position The database's function for the position of a text in another one. */
  constructor(database: Database, clock: Clock, position: 'instr' | 'strpos') {
    super(database, clock)
    this.#position = position
  }

  async get({ kind, id, accountId }: DocumentKey): Promise<StoredDocument | null> {
    const sql = `select * from documents where kind = :kind and id = :id ${ofAccount(accountId)} and ${alive}`
    const row = await this.database.get(sql, { kind, id, accountId, now: this.clock.now() }, repeatable)
    return row === undefined ? null : readDocument(row)
  }

  async list({ kind, accountId, label, search, order, after, limit }: DocumentQuery): Promise<readonly StoredDocument[]> {
    const [comparison, direction] = order === 'newest' ? ['<', 'desc'] : ['>', 'asc']
    // Conditions are included only if requested, so that the indexes are used.
    const conditions = [
      `kind = :kind ${ofAccount(accountId)}`,
      label === undefined ? '' : 'label = :label',
      search === undefined ? '' : `${this.#position}(text, :search) > 0`,
      after === null ? '' : `(at, id) ${comparison} (cast(:at as bigint), :id)`,
      alive,
    ].filter((condition) => condition !== '')
    const sql = `select * from documents where ${conditions.join(' and ')} order by at ${direction}, id ${direction} limit :limit`
    const parameters = {
      kind,
      accountId,
      label,
      search: search?.toLowerCase(),
      at: after?.at,
      id: after?.id,
      now: this.clock.now(),
      limit,
    }
    return (await this.database.all(sql, parameters, repeatable)).map(readDocument)
  }

  async versions(of: {
    readonly kind: DocumentKind
    readonly accountId: string
    readonly label: string
    readonly limit: number
  }): Promise<ReadonlyMap<string, number>> {
    const sql = `select id, version from documents where kind = :kind and account_id = :accountId and label = :label and ${alive}
      order by at, id limit :limit`
    return readVersions(await this.database.all(sql, { ...of, now: this.clock.now() }, repeatable))
  }

  async remove({ kind, id, accountId }: DocumentKey): Promise<boolean> {
    const sql = `delete from documents where kind = :kind and id = :id ${ofAccount(accountId)} and ${alive}`
    return (await this.database.run(sql, { kind, id, accountId, now: this.clock.now() })) > 0
  }

  async sum(of: { readonly accountId: string; readonly kind: DocumentKind | null }): Promise<DocumentSum> {
    const { sql, parameters } = sumDocuments(of, this.clock.now())
    return readSum(await this.database.get(sql, parameters, repeatable))
  }
}

function ofAccount(accountId: string | null): string {
  return accountId === null ? '' : 'and account_id = :accountId'
}

interface DocumentSum {
  readonly count: number
  readonly bytes: number
}

/** A query for the number and bytes of an account's documents; {@link readSum} reads its row. */
export function sumDocuments(
  { accountId, kind }: { readonly accountId: string; readonly kind: DocumentKind | null },
  now: number,
): { readonly sql: string; readonly parameters: Values } {
  const ofKind = kind === null ? '' : 'and kind = :kind'
  // Triggers maintain the sums; expired documents that were not removed yet are few and indexed.
  const sql = `select cast(coalesce(sum(count), 0) as bigint) as count, cast(coalesce(sum(bytes), 0) as bigint) as bytes from (
      select count, bytes from document_sums where account_id = :accountId ${ofKind}
      union all
      select -count(*), -coalesce(sum(bytes), 0) from documents where account_id = :accountId and expires_at <= :now ${ofKind}) as parts`
  return { sql, parameters: { accountId, kind, now } }
}

/** The sum in a row. */
export function readSum(row: Row | undefined): DocumentSum {
  return { count: readInteger(row ?? {}, 'count'), bytes: readInteger(row ?? {}, 'bytes') }
}

/** The wish to store a document. */
export interface DocumentWrite {
  readonly document: Document
  readonly version: number | null | undefined
  readonly most: number
}

/** Expired documents do not exist for anybody, which also frees their ids. */
export const removeExpired = 'delete from documents where kind = :kind and id = :id and expires_at <= :now'
/** What {@link judgeWrite} needs. */
export const findKnown = 'select account_id, version, bytes from documents where kind = :kind and id = :id'

/** Whether a document may replace the one in a row, and by how many bytes the account's documents grow then. */
export function judgeWrite(
  { document, version }: DocumentWrite,
  row: Row | undefined,
): 'conflict' | { readonly growth: number; readonly parameters: Values } {
  if (row !== undefined && readText(row, 'account_id') !== document.accountId) return 'conflict'
  const known = row === undefined ? null : readInteger(row, 'version')
  if (version !== undefined && version !== known) return 'conflict'
  const bytes = documentBytes(document)
  const growth = bytes - (row === undefined ? 0 : readInteger(row, 'bytes'))
  return { growth, parameters: documentParameters(document, { version: (known ?? 0) + 1, bytes }) }
}

/** Creates or replaces a document. */
export const writeDocument = `insert into documents (kind, id, account_id, value, at, label, text, attached_bytes, expires_at, version, bytes)
  values (:kind, :id, :accountId, :value, :at, :label, :text, :attachedBytes, :expiresAt, :version, :bytes)
  on conflict (kind, id) do update set value = excluded.value, at = excluded.at, label = excluded.label, text = excluded.text,
    attached_bytes = excluded.attached_bytes, expires_at = excluded.expires_at, version = excluded.version, bytes = excluded.bytes`

/** Expired documents from deleted rows, longest expired first. */
export function readExpired(rows: readonly Row[]): readonly StoredDocument[] {
  return rows.map(readDocument).sort((a, b) => (a.expiresAt ?? 0) - (b.expiresAt ?? 0))
}
