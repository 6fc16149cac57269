import type { RefreshableCatalog } from '../../catalog/refreshable-catalog.ts'
import type { Config } from '../../config/settings.ts'
import type { ModelPool } from '../../core/ports/model-pool.ts'
import type { Store } from '../../core/ports/store.ts'
import type { Abortable } from '../../core/waiting.ts'
import { AccountWeights } from '../../operations/access/account-weights.ts'
import type { AssetDependencies } from '../../operations/assets/assets.ts'
import { ModelPulls } from '../../operations/model-pulls.ts'
import { createModelPool } from '../../residency/model-pool.ts'
import { openMeasuredMemory } from '../../storage/filesystem/open-measured-memory.ts'
import { observeModels } from '../../telemetry/model-events.ts'
import { faultSurvived } from '../../telemetry/service-events.ts'
import type { Telemetry } from '../../telemetry/telemetry.ts'
import { joinCluster, type Membership } from '../cluster/join-cluster.ts'
import { dataLayout } from '../data-layout.ts'
import { countGenerated, observePool } from '../observe/observe-events.ts'
import { followPulledModels, type PulledModels } from './follow-pulled-models.ts'
import { tidyAssets } from './open-assets.ts'
import type { Engines } from './open-engines.ts'
import { pullToDataFolder } from './pull-to-data-folder.ts'

interface PoolDependencies {
  readonly installed: RefreshableCatalog
  readonly assets: AssetDependencies
  readonly engines: Engines
  readonly store: Store
  readonly telemetry: Telemetry
}

/** Loaded models, here and on other nodes. */
interface Models extends Membership {
  /** The models of this machine only. */
  readonly ownPool: ModelPool
  readonly pulled: PulledModels
}

/** Starts the model pool, watches pulled models, and joins the cluster; disposing ends all of these. */
export async function openPool(
  config: Config,
  { installed, assets, engines, store, telemetry }: PoolDependencies,
  { signal }: Abortable,
): Promise<Models> {
  await using undo = new AsyncDisposableStack()
  const { clock, accounts, log, nodes } = store
  const { limits } = engines
  const loader = countGenerated(engines.loader, telemetry)
  const nameable = assets.library.everything
  const weights = new AccountWeights({ accounts, clock, onFault: (error) => faultSurvived(telemetry, { where: 'account-weights' }, error) })
  const weightOf = (account: string) => weights.of(account)
  const measured = await openMeasuredMemory(dataLayout(config.dataFolder).measuredMemoryFile)
  const onEvent = observePool(telemetry)
  const ownPool = undo.use(createModelPool({ catalog: nameable, loader, clock, limits, weightOf, measured, onEvent }))
  observeModels(telemetry, () => ownPool.states())
  undo.use(tidyAssets({ ...assets, log, pool: ownPool, telemetry }, config))
  const pulledFolder = dataLayout(config.dataFolder).modelsFolder
  const pulled = undo.use(followPulledModels({ catalog: installed, pool: ownPool, clock, telemetry, pulledFolder }))
  const ownPulls = new ModelPulls(async (source, options) => pulled.admit(await pullToDataFolder(config, source, options)), clock)
  undo.defer(() => ownPulls.close())
  const isDraining = () => signal.aborted
  const cluster = undo.use(
    await joinCluster({ installed, nameable, registry: nodes, pool: ownPool, pulls: ownPulls, clock, isDraining, telemetry }, config, {
      signal,
    }),
  )
  const owned = undo.move()
  return { ...cluster, ownPool, pulled, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}
