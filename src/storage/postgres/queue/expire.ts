import { outputRetentionMs, recordRetentionMs } from '../../../core/inference.ts'
import type { ExpiryReport } from '../../../core/ports/inference-queue.ts'
import { readText } from '../../rows/row.ts'
import type { Database } from '../database.ts'
import { aliveHolder } from '../presence.ts'

/** Rows deleted per table and duty. */
const batch = 1000

/** Takes outputs that are past their retention, and deletes what else is past its own. */
export async function expire(database: Database, now: number): Promise<ExpiryReport> {
  const outputs = await database.all(
    `delete from stored_outputs where id = any (array(
       select id from stored_outputs where expires_at <= :now order by expires_at limit :batch for update skip locked)) returning output_key`,
    { now, batch },
  )
  await database.run('delete from sessions where expires_at <= :now', { now })
  await database.run('delete from invitations where expires_at <= :now', { now })
  await deleteSome(database, 'idempotency_keys', 'ctid', 'created_at <= :before', now - outputRetentionMs)
  await deleteSome(
    database,
    'webhook_deliveries',
    'ctid',
    `created_at <= :before and state <> 'waiting'`,
    now - outputRetentionMs - recordRetentionMs,
  )
  // Records with a day in their id go with the partition of their day.
  const deletedRecords = await deleteSome(database, 'inferences_other', 'ctid', 'expires_at <= :before', now - recordRetentionMs)
  await forgetAbsent(database, now)
  return { outputs: outputs.map((row) => readText(row, 'output_key')), deletedRecords }
}

function deleteSome(database: Database, table: string, key: string, condition: string, before: number): Promise<number> {
  const sql = `delete from ${table} where ${key} = any (array(select ${key} from ${table} where ${condition} limit :batch for update skip locked))`
  return database.run(sql, { before, batch }, { repeatable: true })
}

/** What processes had set aside for work that ended with them, and kept; what waits in the queue keeps its own. */
async function forgetAbsent(database: Database, now: number): Promise<void> {
  await database.run(
    `delete from reservations where not ${aliveHolder('reservations.holder')}
     and not exists (select 1 from queue where id = case when reservations.id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then reservations.id::uuid end)`,
    {},
    { repeatable: true },
  )
  await database.run(`delete from kept_places where not ${aliveHolder('kept_places.holder')}`, {}, { repeatable: true })
  await database.run('delete from request_minutes where minute < :minute', { minute: Math.floor(now / 60_000) - 60 }, { repeatable: true })
  await database.run(`delete from holders where seen_at < clock_timestamp() - interval '1 day'`, {}, { repeatable: true })
}
