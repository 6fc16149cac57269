import { mkdir, realpath } from 'node:fs/promises'
import { createWeightsExaminer } from '../../catalog/checkpoint/examine-in-thread.ts'
import type { Config } from '../../config/settings.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { ModelCatalog } from '../../core/ports/model-catalog.ts'
import type { ModelPool } from '../../core/ports/model-pool.ts'
import type { Store } from '../../core/ports/store.ts'
import type { Abortable } from '../../core/waiting.ts'
import { AssetLibrary } from '../../operations/assets/asset-library.ts'
import type { AssetDependencies } from '../../operations/assets/assets.ts'
import { removeDeletedAssets } from '../../operations/assets/deleted-assets.ts'
import { UploadsUnderWay } from '../../operations/assets/uploads-under-way.ts'
import { openAssetFiles } from '../../storage/filesystem/open-asset-files.ts'
import { proveWritable } from '../../storage/private-files.ts'
import { faultSurvived } from '../../telemetry/service-events.ts'
import type { Telemetry } from '../../telemetry/telemetry.ts'
import { runEvery } from '../../worker/maintenance.ts'
import { dataLayout } from '../data-layout.ts'

const lookEveryMs = 30_000
const duty = 'remove-deleted-assets'

/** Opens the uploaded assets in addition to a catalog. */
export async function openAssets(
  config: Config,
  { catalog, store: { documents, accounts }, clock }: { readonly catalog: ModelCatalog; readonly store: Store; readonly clock: Clock },
  options: Abortable,
): Promise<AssetDependencies> {
  const folder = dataLayout(config.dataFolder).assetsFolder
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await proveWritable(folder)
  // Links are resolved here: engines may read the files, but not the link's folder.
  const files = openAssetFiles({ folder: await realpath(folder) })
  const examine = createWeightsExaminer()
  const library = new AssetLibrary({ catalog, documents, files, examine, defaultImage: config.models.defaults.image })
  await library.refresh(options)
  const limits = { bytesPerAccount: config.accounts.assetBytes }
  return { documents, accounts, files, library, uploads: new UploadsUnderWay(), examine, limits, clock }
}

/** Starts removing deleted assets that are no longer used; disposing ends it. */
export function tidyAssets(
  deps: AssetDependencies & Pick<Store, 'log'> & { readonly pool: ModelPool; readonly telemetry: Telemetry },
  { requests, deferred }: Pick<Config, 'requests' | 'deferred'>,
): AsyncDisposable {
  const stop = new AbortController()
  const { signal } = stop
  const onFault = (where: string, error: unknown) => faultSurvived(deps.telemetry, { where }, error)
  const interactiveMs = requests.waitLimitMs + requests.runLimitMs
  const times = { interactiveMs, deferredMs: deferred.waitLimitMs + interactiveMs }
  const onModelGone = (id: string): void => {
    const isHere = deps.pool.states().some(({ modelId, state }) => modelId === id && state !== 'unloaded')
    // Not awaited: a model is unloaded after its last request.
    if (isHere) deps.pool.unload(id, { signal }).catch((error: unknown) => (signal.aborted ? undefined : onFault(duty, error)))
  }
  const run = () => removeDeletedAssets({ ...deps, onModelGone }, times, { signal })
  const running = runEvery({ clock: deps.clock, onFault }, { name: duty, everyMs: lookEveryMs, run }, { signal })
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
    },
  }
}
