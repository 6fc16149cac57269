import type { Clock } from '../../core/ports/clock.ts'
import type { Connection } from './connection.ts'
import type { Statement } from './writer/commands.ts'
import type { Writer } from './writer/writer.ts'

/** Base of all parts of the store: the writing connection, a reading one, and the clock. */
export abstract class SqliteTables {
  protected readonly writer: Writer
  protected readonly reader: Connection
  protected readonly clock: Clock

  constructor(writer: Writer, reader: Connection, clock: Clock) {
    this.writer = writer
    this.reader = reader
    this.clock = clock
  }

  /** Runs one statement and returns the number of rows changed. */
  protected async write(statement: Statement): Promise<number> {
    const [changes] = await this.writer.run('execute', [statement], this.clock.now())
    return changes ?? 0
  }
}
