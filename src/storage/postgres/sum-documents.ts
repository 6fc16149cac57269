import { readInteger } from '../rows/row.ts'
import type { Statements } from './database.ts'

/** Count and bytes of what an account keeps. */
export async function sumDocuments(
  statements: Statements,
  { accountId, kind }: { readonly accountId: string; readonly kind: string | null },
  now: number,
): Promise<{ readonly count: number; readonly bytes: number }> {
  const sql = `select count(*) as count, coalesce(sum(bytes), 0)::bigint as bytes from documents
    where account_id = :accountId ${kind === null ? '' : 'and kind = :kind'} and (expires_at is null or expires_at > :now)`
  const row = (await statements.get(sql, { accountId, kind, now })) ?? {}
  return { count: readInteger(row, 'count'), bytes: readInteger(row, 'bytes') }
}
