import type { Clock } from '../../core/ports/clock.ts'
import type { Row } from '../rows/row.ts'
import type { Statements } from '../tables/statements.ts'
import type { Connection, Parameters } from './connection.ts'
import type { Statement } from './writer/commands.ts'
import type { Writer } from './writer/writer.ts'

/** An open SQLite database: it reads on one connection and writes on another. */
export class SqliteDatabase implements Statements {
  readonly writer: Writer
  readonly reader: Connection
  readonly #clock: Clock

  constructor(writer: Writer, reader: Connection, clock: Clock) {
    this.writer = writer
    this.reader = reader
    this.#clock = clock
  }

  async all(sql: string, parameters?: Parameters): Promise<readonly Row[]> {
    return this.reader.all(sql, parameters)
  }

  async get(sql: string, parameters?: Parameters): Promise<Row | undefined> {
    return this.reader.get(sql, parameters)
  }

  async run(sql: string, parameters: Parameters = {}): Promise<number> {
    const [changes = 0] = await this.runAll([{ sql, parameters }])
    return changes
  }

  /** Runs statements in one commit; returns the number of rows changed by each. */
  runAll(statements: readonly Statement[]): Promise<readonly number[]> {
    return this.writer.run('execute', statements, this.#clock.now())
  }
}
