import type { Clock } from '../../core/ports/clock.ts'
import type { Connection } from './connection.ts'
import type { Statement } from './writer/commands.ts'
import type { Writer } from './writer/writer.ts'

/** What every part of the store works with: the one connection that writes, one that reads, and the clock. */
export abstract class SqliteTables {
  protected readonly writer: Writer
  protected readonly reader: Connection
  protected readonly clock: Clock

  constructor(writer: Writer, reader: Connection, clock: Clock) {
    this.writer = writer
    this.reader = reader
    this.clock = clock
  }

  /** Runs one statement and says how many rows it changed. */
  protected async write(statement: Statement): Promise<number> {
    const [changes] = await this.writer.run('execute', [statement], this.clock.now())
    return changes ?? 0
  }
}
