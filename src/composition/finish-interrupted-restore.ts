import type { Config } from '../config/settings.ts'
import { takeOwnerLock } from '../storage/sqlite/owner-lock.ts'
import { finishRestore, isRestoring } from '../storage/upkeep/finish-restore.ts'
import { dataLayout } from './data-layout.ts'

/**
 * Brings a restore to its end that was interrupted, before anybody reads the data folder.
 *
 * @throws {Error} naming the other process when the restore is still under way.
 */
export async function finishInterruptedRestore({ dataFolder }: Pick<Config, 'dataFolder'>): Promise<void> {
  if (!isRestoring(dataFolder)) return
  using _owned = await takeOwnerLock(dataFolder)
  await finishRestore({ ...dataLayout(dataFolder), dataFolder })
}
