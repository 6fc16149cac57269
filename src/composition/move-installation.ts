import { existsSync } from 'node:fs'
import { UsageError } from '../cli/usage-error.ts'
import type { Config } from '../config/config.ts'
import { type MovedTable, movedTables, type ReadPage, RowHash, readPages, type TableSum } from '../storage/moving/moved-table.ts'
import { openSqliteStore } from '../storage/sqlite/open-sqlite-store.ts'
import { InstallationReader } from '../storage/sqlite/read-installation.ts'
import { dataLayout } from './data-layout.ts'
import { createSystemClock } from './system-clock.ts'

/**
 * Copies an embedded installation, with the work that waits in it, into an empty PostgreSQL database and compares both, row by row. The service must
 * not run. Interrupted, it goes on where it was when it is run again.
 *
 * @returns Rows copied, by table.
 * @throws {Error} when the service runs, the target holds another installation, or a table differs afterwards.
 */
export async function moveInstallation(
  { dataFolder }: Pick<Config, 'dataFolder'>,
  target: string,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (done: number, total: number) => void },
): Promise<Readonly<Record<string, number>>> {
  const file = dataLayout(dataFolder).databaseFile
  if (!existsSync(file))
    throw new UsageError([{ where: 'data', message: `there is no database in ${dataFolder}; name the data folder with --data.` }])
  // Opened as its service: nobody else has it, its schema is today's, and what ran is waiting again.
  await using _owned = await openSqliteStore({ file, clock: createSystemClock(), limits: { maxPending: 1 }, mode: 'service' })
  using source = new InstallationReader(file)
  const [{ Database }, { migrate }, { InstallationWriter }] = await Promise.all([
    import('../storage/postgres/database.ts'),
    import('../storage/postgres/schema/migrate.ts'),
    import('../storage/postgres/write-installation.ts'),
  ])
  await migrate(target)
  await using database = new Database(target)
  const writer = new InstallationWriter(database)
  await writer.begin()
  const total = movedTables.reduce((sum, table) => sum + source.count(table), 0)
  let done = 0
  const moved: Record<string, number> = {}
  for (const table of movedTables) {
    const hash = new RowHash(table)
    for await (const rows of readPages(source.read, table)) {
      signal.throwIfAborted()
      await writer.write(table, rows)
      hash.add(rows)
      done += rows.length
      onProgress(done, total)
    }
    const expected = hash.sum()
    compare(table, expected, await sumTable(writer.read, table))
    moved[table.name] = expected.count
  }
  await writer.finish()
  return moved
}

async function sumTable(read: ReadPage, table: MovedTable): Promise<TableSum> {
  const hash = new RowHash(table)
  for await (const rows of readPages(read, table)) hash.add(rows)
  return hash.sum()
}

function compare({ name }: MovedTable, expected: TableSum, found: TableSum): void {
  if (found.count !== expected.count)
    throw new Error(
      `The table ${name} has ${found.count} rows after copying instead of ${expected.count}; empty the database and try again.`,
    )
  if (found.sha256 !== expected.sha256) throw new Error(`The table ${name} differs after copying; empty the database and try again.`)
}
