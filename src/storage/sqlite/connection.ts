import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import type { Row } from '../rows/row.ts'

export type Parameters = Readonly<Record<string, SQLInputValue>>

/** How long a connection waits for another process's short write. */
const busyTimeoutMs = 10_000

/** A connection that keeps its prepared statements. */
export class Connection implements Disposable {
  readonly database: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  constructor(file: string, { readOnly = false }: { readonly readOnly?: boolean } = {}) {
    this.database = new DatabaseSync(file, { readOnly, timeout: busyTimeoutMs, enableForeignKeyConstraints: true })
  }

  get(sql: string, parameters: Parameters = {}): Row | undefined {
    return this.#prepare(sql).get(parameters)
  }

  all(sql: string, parameters: Parameters = {}): readonly Row[] {
    return this.#prepare(sql).all(parameters)
  }

  /** @returns The number of rows changed by the statement itself. */
  run(sql: string, parameters: Parameters = {}): number {
    return Number(this.#prepare(sql).run(parameters).changes)
  }

  /** Several statements without parameters. */
  script(sql: string): void {
    this.database.exec(sql)
  }

  [Symbol.dispose](): void {
    this.#statements.clear()
    this.database.close()
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const statement = this.database.prepare(sql)
    statement.setAllowUnknownNamedParameters(true)
    this.#statements.set(sql, statement)
    return statement
  }
}
