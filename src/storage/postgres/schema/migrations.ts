import { sessionExpiry } from '../../tables/account-tables.ts'
import { freeLanes } from './free-lanes.ts'
import { documentSums, limitTables } from './limit-tables.ts'
import { queueTables } from './queue-tables.ts'
import {
  countTables,
  latencyTables,
  refusalTables,
  requestErrors,
  requestTables,
  summedWork,
  usageWork,
  wordIndex,
} from './request-tables.ts'
import { tables } from './tables.ts'

/** One step to the next version of the schema. */
export interface Migration {
  readonly sql: string
  /** Minimum number of steps a program must know to work with the database after this one. */
  readonly leastProgram: number
}

/**
 * All migrations, one per version. A released migration never changes. Migrations only add: the previous program version keeps working, so
 * that nodes can restart one after the other; obsolete parts are removed by a later migration.
 */
export const migrations: readonly Migration[] = [
  { sql: `${tables}${queueTables}`, leastProgram: 1 },
  // Whether an installation that is being moved into this database is complete.
  { sql: 'create table imports (single boolean primary key default true check (single), finished boolean not null)', leastProgram: 1 },
  // Monthly budgets.
  { sql: 'alter table accounts add column tokens_per_month bigint, add column images_per_month bigint', leastProgram: 1 },
  { sql: limitTables, leastProgram: 1 },
  {
    // Limits on an account's storage and waiting requests, and its weight.
    sql: `alter table accounts add column weight integer, add column pending_requests bigint, add column open_streams bigint,
      add column stored_bytes bigint`,
    leastProgram: 1,
  },
  // Requests per minute and places, counted across all nodes.
  { sql: countTables, leastProgram: 1 },
  { sql: requestTables, leastProgram: 1 },
  // Time of a session's last use.
  { sql: 'alter table sessions add column last_used_at bigint', leastProgram: 1 },
  { sql: latencyTables, leastProgram: 1 },
  { sql: documentSums, leastProgram: 1 },
  // The trace of an inference's request, for its webhook.
  { sql: 'alter table queue add column traceparent text; alter table webhook_deliveries add column traceparent text', leastProgram: 1 },
  { sql: refusalTables, leastProgram: 1 },
  // Finds the logged bodies of a request id by label.
  { sql: 'create index documents_label on documents (kind, label, at, id) where label is not null', leastProgram: 1 },
  { sql: freeLanes, leastProgram: 1 },
  // The bucket of the outputs, so that no node uses another.
  { sql: 'alter table cluster add column bucket text', leastProgram: 1 },
  { sql: requestErrors, leastProgram: 1 },
  { sql: usageWork, leastProgram: 1 },
  {
    // The sentence of an error is deleted before the record, so that only the result of a completed inference never changes.
    sql: `drop trigger inference_stays_completed on inferences;
      create trigger inference_stays_completed before update of attempt, outcome, output_key, output_bytes, output_sha256 on inferences
        for each row when (old.outcome is not null) execute function refuse_change()`,
    leastProgram: 1,
  },
  // For whom an invitation is.
  { sql: 'alter table invitations add column note text', leastProgram: 1 },
  { sql: wordIndex, leastProgram: 1 },
  { sql: sessionExpiry, leastProgram: 1 },
  { sql: summedWork, leastProgram: 1 },
]
