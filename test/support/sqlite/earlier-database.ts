import { Connection } from '../../../src/storage/sqlite/connection.ts'
import { migrations } from '../../../src/storage/sqlite/schema/migrations.ts'

/** Writes a SQLite database as it was before one of its migrations, with rows of that time. */
export function writeEarlierDatabase(file: string, migration: string, write: (connection: Connection) => void): void {
  using connection = new Connection(file)
  const before = migrations.slice(0, migrations.indexOf(migration))
  for (const step of before) connection.script(step)
  connection.script(`pragma user_version = ${before.length}`)
  write(connection)
}
