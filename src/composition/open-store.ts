import { UsageError } from '../cli/usage-error.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/ports/clock.ts'
import type { OutputStore } from '../core/ports/output-store.ts'
import type { Store } from '../core/ports/store.ts'
import { openFilesystemOutputs } from '../storage/filesystem/open-filesystem-outputs.ts'
import { openSqliteStore, type SqliteStoreSettings } from '../storage/sqlite/open-sqlite-store.ts'
import { openBucket } from './cluster/open-bucket.ts'
import { dataLayout } from './data-layout.ts'
import { finishInterruptedRestore } from './finish-interrupted-restore.ts'

/**
 * Opens the store that the settings name.
 *
 * @throws {UsageError} for one that this version does not have.
 * @throws {Error} when another service owns the data folder.
 */
export async function openStore(
  config: Config,
  { clock, mode }: { readonly clock: Clock; readonly mode: SqliteStoreSettings['mode'] },
): Promise<Store> {
  if (config.database.type === 'postgres') throw new UsageError([{ where: 'database-url', message: 'PostgreSQL is not built yet.' }])
  await finishInterruptedRestore(config)
  const { dataFolder, deferred, accounts } = config
  const limits = {
    maxPending: deferred.queue,
    maxPendingPerAccount: Math.max(1, Math.floor(deferred.queue * accounts.share)),
    maxStoredBytesPerAccount: accounts.storageBytes,
  }
  return openSqliteStore({ file: dataLayout(dataFolder).databaseFile, clock, limits, mode })
}

/**
 * Opens the store of outputs that the settings name.
 *
 * @param store The records of these outputs, whose nodes share a bucket.
 */
export async function openOutputs(
  { outputs, dataFolder }: Config,
  { clock, nodes, signal }: Pick<Store, 'clock' | 'nodes'> & { readonly signal: AbortSignal },
): Promise<OutputStore> {
  if (outputs.type === 's3' && nodes !== undefined) return openBucket(outputs, { clock, registry: nodes }, { signal })
  return openFilesystemOutputs({ folder: dataLayout(dataFolder).outputsFolder, clock })
}
