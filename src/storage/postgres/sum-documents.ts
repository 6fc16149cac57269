import { readInteger } from '../rows/row.ts'
import type { Statements } from './database.ts'

/** Count and bytes of what an account keeps. */
export async function sumDocuments(
  statements: Statements,
  { accountId, kind }: { readonly accountId: string; readonly kind: string | null },
  now: number,
): Promise<{ readonly count: number; readonly bytes: number }> {
  const ofKind = kind === null ? '' : 'and kind = :kind'
  // The sums are kept by triggers; what has expired and was not taken yet is little, and found by an index.
  const sql = `select coalesce(sum(count), 0)::bigint as count, coalesce(sum(bytes), 0)::bigint as bytes from (
      select count, bytes from document_sums where account_id = :accountId ${ofKind}
      union all
      select -count(*), -coalesce(sum(bytes), 0) from documents where account_id = :accountId and expires_at <= :now ${ofKind}) as parts`
  const row = (await statements.get(sql, { accountId, kind, now })) ?? {}
  return { count: readInteger(row, 'count'), bytes: readInteger(row, 'bytes') }
}
