import type { Config } from '../config/config.ts'
import type { Clock } from '../core/ports/clock.ts'
import type { OutputStore } from '../core/ports/output-store.ts'
import type { Store } from '../core/ports/store.ts'
import { openFilesystemOutputs } from '../storage/filesystem/open-filesystem-outputs.ts'
import { openSqliteStore, type SqliteStoreSettings } from '../storage/sqlite/open-sqlite-store.ts'
import { dataLayout } from './data-layout.ts'

/**
 * Opens the store that the settings name.
 *
 * @throws {Error} for one that this version does not have, and when another service owns the data folder.
 */
export async function openStore(
  { dataFolder, database, deferred }: Config,
  { clock, mode }: { readonly clock: Clock; readonly mode: SqliteStoreSettings['mode'] },
): Promise<Store> {
  if (database.type === 'postgres') {
    throw new Error('database-url: PostgreSQL is not built yet; remove the setting to keep everything in the data folder.')
  }
  return openSqliteStore({ file: dataLayout(dataFolder).databaseFile, clock, limits: { maxPending: deferred.queue }, mode })
}

/** Opens the store of outputs that the settings name; throws for one that this version does not have. */
export async function openOutputs({ dataFolder, outputs }: Config, { clock }: { readonly clock: Clock }): Promise<OutputStore> {
  if (outputs.type === 's3') throw new Error('s3-url: S3 is not built yet; remove the setting to keep outputs in the data folder.')
  return openFilesystemOutputs({ folder: dataLayout(dataFolder).outputsFolder, clock })
}
