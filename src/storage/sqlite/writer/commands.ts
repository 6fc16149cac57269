import { bookUsage, rollUpUsage } from '../book-usage.ts'
import { forgetReservations, releaseBudget, reserveBudget } from '../budget.ts'
import type { Connection, Parameters } from '../connection.ts'
import { putDocument, removeDocument, takeExpiredDocuments } from '../documents.ts'
import { cancel } from '../queue/cancel.ts'
import { claim } from '../queue/claim.ts'
import { enqueue } from '../queue/enqueue.ts'
import { complete, endDelays, hasten, release, renew } from '../queue/hold.ts'
import { reclaim, retry } from '../queue/retry.ts'
import { expire, sweep } from '../queue/sweep.ts'
import { recordRequests } from '../record-requests.ts'

/** One or more statements that succeed or fail together; says how many rows each changed. */
function execute(connection: Connection, statements: readonly Statement[]): readonly number[] {
  return statements.map(({ sql, parameters }) => connection.run(sql, parameters))
}

export interface Statement {
  readonly sql: string
  readonly parameters?: Parameters
}

/** Every write there is. Each runs inside a transaction and either happens whole or not at all. */
export const commands = {
  enqueue,
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
  removeDocument,
  takeExpiredDocuments,
  recordRequests,
  execute,
}

export type CommandName = keyof typeof commands
export type CommandInput<Name extends CommandName> = InputOf<(typeof commands)[Name]>
export type CommandResult<Name extends CommandName> = ReturnType<(typeof commands)[Name]>

type InputOf<Command> = Command extends (connection: Connection, input: infer Input, ...rest: never[]) => unknown ? Input : never
