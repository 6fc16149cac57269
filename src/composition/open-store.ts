import type { Config } from '../config/settings.ts'
import type { BodyKeys } from '../core/ports/body-keys.ts'
import type { Clock } from '../core/ports/clock.ts'
import type { OutputStore } from '../core/ports/output-store.ts'
import type { Store } from '../core/ports/store.ts'
import type { Abortable } from '../core/waiting.ts'
import { openBodyKeys } from '../storage/filesystem/open-body-keys.ts'
import { openFilesystemOutputs, proveOutputsWritable } from '../storage/filesystem/open-filesystem-outputs.ts'
import { openSqliteStore, type SqliteStoreSettings } from '../storage/sqlite/open-sqlite-store.ts'
import { takeOwnerLock } from '../storage/sqlite/owner-lock.ts'
import { finishRestore, isRestoring } from '../storage/upkeep/restore-backup.ts'
import { readDatabaseUrl } from './cluster/node-address.ts'
import { openBucket } from './cluster/open-bucket.ts'
import { dataLayout } from './data-layout.ts'
import { findWaysOut } from './ways-out.ts'

/**
 * Opens the configured store.
 *
 * @param options.onWarning Called with warnings about the database for the operator.
 * @throws {UsageError} if the file with the database's address cannot be read.
 * @throws {Error} if another service owns the data folder, or the database is unsuitable.
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
    // The driver is only loaded if it is used.
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
 * Opens the configured output store.
 *
 * @param store The store with the records; its nodes share a bucket.
 */
export async function openOutputs(
  config: Config,
  { clock, nodes, keepLargeWorkIn, signal }: Pick<Store, 'clock' | 'nodes' | 'keepLargeWorkIn'> & Abortable,
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
 * Opens the output store for a service and checks that it is writable.
 *
 * @throws {Error} with the fix if it is not.
 */
export async function openWritableOutputs(config: Config, store: Parameters<typeof openOutputs>[1]): Promise<OutputStore> {
  const opened = await openOutputs(config, store)
  if (config.outputs.type !== 's3' || store.nodes === undefined) await proveOutputsWritable(dataLayout(config.dataFolder).outputsFolder)
  return opened
}

/**
 * Completes an interrupted restore before the data folder is read.
 *
 * @throws {Error} naming the other process if the restore is still running.
 */
export async function finishInterruptedRestore({ dataFolder }: Pick<Config, 'dataFolder'>): Promise<void> {
  if (!isRestoring(dataFolder)) return
  using _owned = await takeOwnerLock(dataFolder)
  await finishRestore({ ...dataLayout(dataFolder), dataFolder })
}

type RequestLogConfig = Pick<Config, 'accounts' | 'dataFolder' | 'database'>

/** The key file of the request log. */
export function bodyKeysFile({ accounts, dataFolder }: RequestLogConfig): string {
  return accounts.requestLog.keysFile ?? dataLayout(dataFolder).bodyKeysFile
}

/** The keys of the request log. With a shared database only the operator creates keys, since each node would create its own. */
export function openRequestLogKeys(config: RequestLogConfig): Promise<BodyKeys> {
  const mayBegin = config.accounts.requestLog.keysFile === null && config.database.type === 'embedded'
  return openBodyKeys({ file: bodyKeysFile(config), mayBegin })
}
