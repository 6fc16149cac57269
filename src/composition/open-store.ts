import { UsageError } from '../cli/usage-error.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/ports/clock.ts'
import type { OutputStore } from '../core/ports/output-store.ts'
import type { Store } from '../core/ports/store.ts'
import { openFilesystemOutputs } from '../storage/filesystem/open-filesystem-outputs.ts'
import { openSqliteStore, type SqliteStoreSettings } from '../storage/sqlite/open-sqlite-store.ts'
import { dataLayout } from './data-layout.ts'
import { finishInterruptedRestore } from './finish-interrupted-restore.ts'
import { findUnbuilt } from './start-faults.ts'

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
  refuseUnbuilt(config)
  await finishInterruptedRestore(config)
  const { dataFolder, deferred, accounts } = config
  const limits = {
    maxPending: deferred.queue,
    maxPendingPerAccount: Math.max(1, Math.floor(deferred.queue * accounts.share)),
    maxStoredBytesPerAccount: accounts.storageBytes,
  }
  return openSqliteStore({ file: dataLayout(dataFolder).databaseFile, clock, limits, mode })
}

/** Opens the store of outputs that the settings name; throws a `UsageError` for one that this version does not have. */
export async function openOutputs(config: Config, { clock }: { readonly clock: Clock }): Promise<OutputStore> {
  refuseUnbuilt(config)
  return openFilesystemOutputs({ folder: dataLayout(config.dataFolder).outputsFolder, clock })
}

function refuseUnbuilt(config: Config): void {
  const faults = findUnbuilt(config)
  if (faults.length > 0) throw new UsageError(faults)
}
