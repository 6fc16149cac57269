import type { Clock } from '../../core/ports/clock.ts'
import type { Row } from '../rows/row.ts'

/** Runs statements with parameters named `:name` on a database, or in one of its transactions. */
export interface Statements {
  all(sql: string, parameters?: Parameters, options?: StatementOptions): Promise<readonly Row[]>
  get(sql: string, parameters?: Parameters, options?: StatementOptions): Promise<Row | undefined>
  /** @returns Number of rows changed. */
  run(sql: string, parameters?: Parameters, options?: StatementOptions): Promise<number>
}

/** Texts, numbers and null; besides, each database accepts its own. */
export type Parameters = Readonly<Record<string, unknown>>

/** Options of a statement on a server; ignored inside a transaction, which is atomic, and by an embedded database. */
export interface StatementOptions {
  /** Time limit in total, including waiting for a connection and repetitions. */
  readonly limitMs?: number
  /** Whether it may be repeated if it is unknown whether the first was committed: true for reads and idempotent writes. */
  readonly repeatable?: boolean
}

export const repeatable: StatementOptions = { repeatable: true }

/**
 * Options of authenticating queries. The time limit ensures that a revocation takes effect within five seconds even with a slow database: a
 * slow query ends with 503 instead of outdated access.
 */
export const lookUp: StatementOptions = { repeatable: true, limitMs: 1000 }

/** A part of a store: tables in a database, with the clock for their times. */
export abstract class Tables<Database extends Statements> {
  protected readonly database: Database
  protected readonly clock: Clock

  constructor(database: Database, clock: Clock) {
    this.database = database
    this.clock = clock
  }
}
