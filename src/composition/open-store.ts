import type { Config } from '../config/settings.ts'
import type { Clock } from '../core/ports/clock.ts'
import type { OutputStore } from '../core/ports/output-store.ts'
import type { Store } from '../core/ports/store.ts'
import { openFilesystemOutputs, proveOutputsWritable } from '../storage/filesystem/open-filesystem-outputs.ts'
import { openSqliteStore, type SqliteStoreSettings } from '../storage/sqlite/open-sqlite-store.ts'
import { openBucket } from './cluster/open-bucket.ts'
import { readDatabaseUrl } from './cluster/read-database-url.ts'
import { dataLayout } from './data-layout.ts'
import { finishInterruptedRestore } from './finish-interrupted-restore.ts'
import { findWaysOut } from './ways-out.ts'

/**
 * Opens the store that the settings name.
 *
 * @param options.onWarning Told what the operator should know about the database.
 * @throws {UsageError} when the file of the database's address cannot be read.
 * @throws {Error} when another service owns the data folder, or the database is not fit for it.
 */
export async function openStore(
  config: Config,
  {
    clock,
    mode,
    onWarning = () => {},
  }: { readonly clock: Clock; readonly mode: SqliteStoreSettings['mode']; readonly onWarning?: (warning: string) => void },
): Promise<Store> {
  const { dataFolder, database, deferred, accounts } = config
  const limits = {
    maxPending: deferred.queue,
    maxPendingPerAccount: Math.max(1, Math.floor(deferred.queue * accounts.share)),
    maxStoredBytesPerAccount: accounts.storageBytes,
  }
  if (database.type === 'postgres') {
    // The driver is loaded only where it is used.
    const readUrl = () => readDatabaseUrl(database)
    const { openPostgresStore } = await import('../storage/postgres/open-postgres-store.ts')
    const store = await openPostgresStore({ url: await readUrl(), readUrl, clock, limits, mode })
    for (const warning of store.warnings) onWarning(warning)
    return store
  }
  await finishInterruptedRestore(config)
  return openSqliteStore({ file: dataLayout(dataFolder).databaseFile, clock, limits, mode })
}

/**
 * Opens the store of outputs that the settings name.
 *
 * @param store The records of these outputs, whose nodes share a bucket.
 */
export async function openOutputs(
  config: Config,
  { clock, nodes, keepLargeWorkIn, signal }: Pick<Store, 'clock' | 'nodes' | 'keepLargeWorkIn'> & { readonly signal: AbortSignal },
): Promise<OutputStore> {
  const { outputs, dataFolder } = config
  if (outputs.type === 's3' && nodes !== undefined) {
    const bucket = await openBucket(outputs, { clock, registry: nodes, ...findWaysOut(config) }, { signal })
    keepLargeWorkIn?.(bucket)
    return bucket
  }
  return openFilesystemOutputs({ folder: dataLayout(dataFolder).outputsFolder, clock })
}

/**
 * Opens the same for a service, which stores there.
 *
 * @throws {Error} when it could not, with what to change.
 */
export async function openWritableOutputs(config: Config, store: Parameters<typeof openOutputs>[1]): Promise<OutputStore> {
  const opened = await openOutputs(config, store)
  if (config.outputs.type !== 's3' || store.nodes === undefined) await proveOutputsWritable(dataLayout(config.dataFolder).outputsFolder)
  return opened
}
