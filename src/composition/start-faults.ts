import { UsageError } from '../cli/usage-error.ts'
import type { Config } from '../config/config.ts'
import type { ConfigFault } from '../config/setting-sources.ts'
import { findMissingBackend } from './devices/list-devices.ts'
import { openModels } from './models/open-models.ts'

/** The settings that ask for what this version does not have. */
export function findUnbuilt({ database, outputs }: Config): readonly ConfigFault[] {
  return [
    ...(database.type === 'postgres'
      ? [{ where: 'database-url', message: 'PostgreSQL is not built yet; remove the setting to keep everything in the data folder.' }]
      : []),
    ...(outputs.type === 's3'
      ? [{ where: 's3-url', message: 'S3 is not built yet; remove the setting to keep outputs in the data folder.' }]
      : []),
  ]
}

/** What the machine lacks of what the settings name. */
export async function findMissingHardware({ models }: Config, options: { readonly signal: AbortSignal }): Promise<readonly ConfigFault[]> {
  const message = await findMissingBackend(models.gpu, options)
  return message === null ? [] : [{ where: 'gpu', message }]
}

/** What keeps a service with these settings from starting, though each for itself is well written. */
export async function findStartFaults(config: Config): Promise<readonly ConfigFault[]> {
  try {
    await openModels(config, findUnbuilt(config))
    return []
  } catch (error) {
    if (error instanceof UsageError) return error.faults
    throw error
  }
}
