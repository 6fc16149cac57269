import { requestColumns } from '../../rows/request-row.ts'
import { bookUsage, rollUpUsage } from '../book-usage.ts'
import { forgetReservations, releaseBudget, reserveBudget } from '../budget.ts'
import type { Connection, Parameters } from '../connection.ts'
import { putDocument, takeExpiredDocuments } from '../documents.ts'
import { cancel, claim, reclaim, retry } from '../queue/claim.ts'
import { enqueue, findEarlier } from '../queue/enqueue.ts'
import { complete, endDelays, hasten, release, renew } from '../queue/hold.ts'
import { expire, sweep } from '../queue/sweep.ts'

/** Runs statements that succeed or fail together; returns the number of rows changed by each. */
function execute(connection: Connection, statements: readonly Statement[]): readonly number[] {
  return statements.map(({ sql, parameters }) => connection.run(sql, parameters))
}

export interface Statement {
  readonly sql: string
  readonly parameters?: Parameters
}

/** All writes. Each is atomic within a transaction. */
export const commands = {
  enqueue,
  findEarlier,
  claim,
  renew,
  complete,
  release,
  hasten,
  endDelays,
  retry,
  reclaim,
  cancel,
  sweep,
  expire,
  bookUsage,
  rollUpUsage,
  reserveBudget,
  releaseBudget,
  forgetReservations,
  putDocument,
  takeExpiredDocuments,
  recordRequests,
  execute,
}

export type CommandName = keyof typeof commands
export type CommandInput<Name extends CommandName> = InputOf<(typeof commands)[Name]>
export type CommandResult<Name extends CommandName> = ReturnType<(typeof commands)[Name]>

type InputOf<Command> = Command extends (connection: Connection, input: infer Input, ...rest: never[]) => unknown ? Input : never

const insert = `insert into request_records (${requestColumns.join(', ')}) values (${requestColumns.map((column) => `:${column}`).join(', ')})`

/** Adds request records. @param rows Their columns as a JSON list. */
function recordRequests(connection: Connection, rows: string, _now: number): number {
  const records: readonly Parameters[] = JSON.parse(rows)
  for (const record of records) connection.run(insert, record)
  return records.length
}
