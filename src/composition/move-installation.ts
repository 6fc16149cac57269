import { existsSync } from 'node:fs'
import { UsageError } from '../cli/failures.ts'
import type { Config } from '../config/settings.ts'
import { ServiceError } from '../core/error.ts'
import type { OutputStore } from '../core/ports/output-store.ts'
import { openFilesystemOutputs } from '../storage/filesystem/open-filesystem-outputs.ts'
import { type MovedTable, movedTables, type ReadPage, RowHash, readPages, type TableSum } from '../storage/moving/moved-table.ts'
import type { S3OutputStore } from '../storage/s3/open-s3-outputs.ts'
import { openSqliteStore } from '../storage/sqlite/open-sqlite-store.ts'
import { InstallationReader, type KeptOutput } from '../storage/sqlite/read-installation.ts'
import { openBucket, throwBucketError } from './cluster/open-bucket.ts'
import { dataLayout } from './data-layout.ts'
import { createSystemClock } from './system-clock.ts'
import { findWaysOut } from './ways-out.ts'

/**
 * Copies an embedded installation, including queued work, into an empty PostgreSQL database, compares all rows, and copies outputs into the
 * bucket if one is set. The service must not be running. After an interruption, the next run resumes.
 *
 * @returns Number of rows copied per table, and of intact `outputs`.
 * @throws {Error} if the service is running, the target contains another installation, or a table differs afterwards.
 */
export async function moveInstallation(
  { dataFolder, outputs, proxies }: Pick<Config, 'dataFolder' | 'outputs' | 'proxies'>,
  target: string,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (done: number, total: number) => void },
): Promise<Readonly<Record<string, number>>> {
  const file = dataLayout(dataFolder).databaseFile
  if (!existsSync(file))
    throw new UsageError([{ where: 'data', message: `there is no database in ${dataFolder}; name the data folder with --data.` }])
  // Opened like a service: this locks the folder, migrates the schema and requeues running work.
  const clock = createSystemClock()
  await using _owned = await openSqliteStore({ file, clock, limits: { maxPending: 1 }, mode: 'service' })
  using source = new InstallationReader(file, { outputs: outputs.type === 's3' ? 'bucket' : 'files' })
  const [{ Database }, { migrate }, { InstallationWriter }, { PostgresNodeRegistry }] = await Promise.all([
    import('../storage/postgres/database.ts'),
    import('../storage/postgres/schema/migrate.ts'),
    import('../storage/postgres/write-installation.ts'),
    import('../storage/postgres/node-registry.ts'),
  ])
  await migrate(target)
  await using database = new Database(target)
  const writer = new InstallationWriter(database)
  await writer.begin()
  const counts = new Map(movedTables.map((table) => [table.name, source.count(table)]))
  const objects = outputs.type === 's3' ? source.countOutputs() : 0
  const total = [...counts.values()].reduce((sum, count) => sum + count, objects)
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
  if (outputs.type === 's3') {
    const bucket = await openBucket(
      outputs,
      { clock, registry: new PostgresNodeRegistry(database, clock), ...findWaysOut({ proxies }) },
      { signal },
    )
    const files = await openFilesystemOutputs({ folder: dataLayout(dataFolder).outputsFolder, clock })
    const onCopied = (): void => onProgress(++done, total)
    moved.outputs = await copyOutputs({ source, files, bucket }, { signal, onCopied }).catch(throwBucketError)
  }
  await writer.finish()
  return moved
}

/** Concurrent copies of outputs. */
const outputsAtOnce = 4

/** Missing or damaged outputs are skipped; their records report it as before. */
async function copyOutputs(
  { source, files, bucket }: { readonly source: InstallationReader; readonly files: OutputStore; readonly bucket: S3OutputStore },
  { signal, onCopied }: { readonly signal: AbortSignal; readonly onCopied: () => void },
): Promise<number> {
  let copied = 0
  const copy = async ({ file, object }: KeptOutput) => {
    const pieces = await files.open(file, { signal }).catch(nullWhereDamaged)
    if (pieces !== null) await bucket.adopt(object, Buffer.concat(await Array.fromAsync(pieces)), { signal })
    copied += pieces === null ? 0 : 1
    onCopied()
  }
  for (let last: string | null = null; ; ) {
    signal.throwIfAborted()
    const page = source.keptOutputs(last, outputsAtOnce)
    await Promise.all(page.map(copy))
    last = page.at(-1)?.id ?? null
    if (last === null) return copied
  }
}

function nullWhereDamaged(error: unknown): null {
  if (error instanceof ServiceError) return null
  throw error
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
