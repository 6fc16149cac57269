import { UsageError } from '../cli/failures.ts'
import type { ConfigFault } from '../config/load-config.ts'
import type { Config } from '../config/settings.ts'
import { findClusterFaults } from './cluster/find-cluster-faults.ts'
import { findMissingBackend } from './devices/list-devices.ts'
import { openModels } from './models/open-models.ts'
import { findSignInFaults } from './sign-in/open-sign-in.ts'

/** What the machine lacks of what the settings name. */
export async function findMissingHardware({ models }: Config, options: { readonly signal: AbortSignal }): Promise<readonly ConfigFault[]> {
  const message = await findMissingBackend(models.gpu, options)
  return message === null ? [] : [{ where: 'gpu', message }]
}

/** What keeps a service with these settings from starting, though each for itself is well written. */
export async function findStartFaults(config: Config): Promise<readonly ConfigFault[]> {
  try {
    await openModels(config, [...findClusterFaults(config), ...findSignInFaults(config)])
    return []
  } catch (error) {
    if (error instanceof UsageError) return error.faults
    throw error
  }
}
