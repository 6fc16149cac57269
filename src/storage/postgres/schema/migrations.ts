import { freeLanes } from './free-lanes.ts'
import { documentSums, limitTables } from './limit-tables.ts'
import { queueTables } from './queue-tables.ts'
import { countTables, latencyTables, refusalTables, requestTables } from './request-tables.ts'
import { tables } from './tables.ts'

/** One step from a version of the schema to the next. */
export interface Migration {
  readonly sql: string
  /** The least number of steps that a program must know to work on a database after this one. */
  readonly leastProgram: number
}

/**
 * What turns an empty database into today's, one step per version. A step that was released never changes. Steps expand: a program
 * that knows one step less goes on working, so that nodes of a cluster restart one after the other; what a step makes needless goes with a later one.
 */
export const migrations: readonly Migration[] = [
  { sql: `${tables}${queueTables}`, leastProgram: 1 },
  // Whether an installation that is moved into this database is whole.
  { sql: 'create table imports (single boolean primary key default true check (single), finished boolean not null)', leastProgram: 1 },
  // Budgets of a month beside those of a day.
  { sql: 'alter table accounts add column tokens_per_month bigint, add column images_per_month bigint', leastProgram: 1 },
  { sql: limitTables, leastProgram: 1 },
  {
    // What one account may hold, and how it is served beside others.
    sql: `alter table accounts add column weight integer, add column pending_requests bigint, add column open_streams bigint,
      add column stored_bytes bigint`,
    leastProgram: 1,
  },
  // Requests of a minute and places, counted by all nodes together.
  { sql: countTables, leastProgram: 1 },
  { sql: requestTables, leastProgram: 1 },
  // When each browser was here last.
  { sql: 'alter table sessions add column last_used_at bigint', leastProgram: 1 },
  { sql: latencyTables, leastProgram: 1 },
  { sql: documentSums, leastProgram: 1 },
  // The trace that an inference was asked for in goes on to its webhook.
  { sql: 'alter table queue add column traceparent text; alter table webhook_deliveries add column traceparent text', leastProgram: 1 },
  { sql: refusalTables, leastProgram: 1 },
  // The request log finds by a label what was asked under one id.
  { sql: 'create index documents_label on documents (kind, label, at, id) where label is not null', leastProgram: 1 },
  { sql: freeLanes, leastProgram: 1 },
  // Which bucket the outputs lie in, so that no node stores them in another.
  { sql: 'alter table cluster add column bucket text', leastProgram: 1 },
]
