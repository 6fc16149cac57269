import { pullModel } from '../../catalog/pull-model.ts'
import type { Config } from '../../config/config.ts'
import type { ModelDescriptor } from '../../core/model.ts'
import { makeFolder } from '../../storage/sqlite/make-folder.ts'
import { dataLayout } from '../data-layout.ts'
import { openModels } from './open-models.ts'

/** Fetches a model into the data folder; an id that some installed model has already is refused. */
export async function pullToDataFolder(
  config: Config,
  source: string,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (bytesDone: number, bytesTotal: number) => void },
): Promise<ModelDescriptor> {
  const target = { ...dataLayout(config.dataFolder), installed: await listInstalledModels(config), trustedHosts: config.models.pullHosts }
  // The models in it may be read by others; what else comes into it may not.
  await makeFolder(config.dataFolder)
  return pullModel(target, source, { signal, onProgress: ({ bytesDone, bytesTotal }) => onProgress(bytesDone, bytesTotal) })
}

/** Every model that lies in a folder now. */
export async function listInstalledModels(config: Config): Promise<readonly ModelDescriptor[]> {
  return (await openModels(config)).list()
}
