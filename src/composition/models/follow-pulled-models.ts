import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { CatalogError } from '../../catalog/catalog-fault.ts'
import { removeLeftovers } from '../../catalog/pull/unfinished-pulls.ts'
import { findLeftOut, removalTarget, removeModel } from '../../catalog/pulled-folder.ts'
import type { RefreshableCatalog } from '../../catalog/refreshable-catalog.ts'
import type { ModelDescriptor, PlacedModel } from '../../core/model.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { ModelPool } from '../../core/ports/model-pool.ts'
import type { Abortable } from '../../core/waiting.ts'
import { catalogChanged } from '../../telemetry/model-events.ts'
import { faultSurvived } from '../../telemetry/service-events.ts'
import type { Telemetry } from '../../telemetry/telemetry.ts'
import { runEvery } from '../../worker/maintenance.ts'

/** Polling works on every file system, and for a folder that does not exist yet. */
const lookEveryMs = 2000
/** Other folders, which have many more files, are checked every sixth second while nothing changes: each check makes garbage. */
const briefLooks = 2
const duty = 'refresh-models'
/** How long a pull that was interrupted can be continued. */
const unfinishedKeptMs = 7 * 86_400_000

interface FollowDependencies {
  readonly catalog: RefreshableCatalog
  readonly pool: ModelPool
  readonly clock: Clock
  readonly telemetry: Telemetry
  /** Absolute path. */
  readonly pulledFolder: string
}

/** Keeps the catalog and the loaded models in sync with the folder of pulled models. */
export interface PulledModels extends AsyncDisposable {
  /** Makes a newly arrived model usable. @throws {Error} if it is left out because of faults. */
  admit(model: Pick<ModelDescriptor, 'id' | 'folder'>): Promise<void>
  /** Whether a model is in the folder; other files must not be deleted. */
  has(model: PlacedModel): boolean
  /** Where a file of the folder lies that was left out, by its name. @throws {ServiceError} `validation_error` where several have it. */
  findLeftOut(name: string): PlacedModel | undefined
  /** The path that removing a left-out file deletes; undefined = it is elsewhere, or not left out. */
  removalOf(file: string): string | undefined
  /** Deletes a model; it is unloaded after its last request. */
  remove(model: PlacedModel): Promise<void>
}

/** Frees the space of what killed processes left, and starts watching for models that others pull or remove; disposing ends it. */
export function followPulledModels(deps: FollowDependencies): PulledModels {
  const stop = new AbortController()
  const options = { signal: stop.signal }
  const onFault = (where: string, error: unknown) => faultSurvived(deps.telemetry, { where }, error)
  const run = () => refresh(deps, options)
  let looks = 0
  const look = () => refresh(deps, { ...options, isBrief: looks++ % (briefLooks + 1) < briefLooks })
  const abandonedBefore = deps.clock.now() - unfinishedKeptMs
  const tidied = removeLeftovers(deps.pulledFolder, { abandonedBefore, onFault: (error) => onFault('remove-leftovers', error) })
  const running = runEvery({ clock: deps.clock, onFault }, { name: duty, everyMs: lookEveryMs, run: look }, options)
  const isInside = (path: string): boolean => dirname(path) === deps.pulledFolder
  // A model whose folder another removal has just deleted is still listed.
  const has = (model: PlacedModel): boolean =>
    isInside(removalTarget(model).folder) || (isInside(model.folder) && !existsSync(model.folder))
  return {
    async admit({ id, folder }) {
      await run()
      if (deps.catalog.find(id) === undefined)
        throw new Error(`${id} was pulled, but its files have faults; see the log, then correct or delete ${folder}.`)
    },
    has,
    findLeftOut: (name) =>
      findLeftOut(
        deps.catalog.unusable.filter(({ file }) => has({ folder: dirname(file), file })),
        name,
      ),
    removalOf(file) {
      const { folder } = removalTarget({ folder: dirname(file), file })
      return isInside(folder) && deps.catalog.unusable.some((each) => each.file === file) ? folder : undefined
    },
    async remove(model) {
      await removeModel(model)
      await run()
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await Promise.all([running, tidied])
    },
  }
}

async function refresh(
  { catalog, pool, telemetry }: FollowDependencies,
  { signal, isBrief = false }: Abortable & { readonly isBrief?: boolean },
): Promise<void> {
  const { added, removed, faults } = await catalog.refresh({ signal, isBrief })
  if (faults.length > 0) faultSurvived(telemetry, { where: duty }, new CatalogError(faults))
  if (added.length + removed.length === 0) return
  catalogChanged(telemetry, { added, removed })
  const inMemory = pool.states().filter(({ modelId, state }) => removed.includes(modelId) && state !== 'unloaded')
  // Not awaited: a model is unloaded after its last request, which may take longer than the next change.
  for (const { modelId } of inMemory) {
    pool.unload(modelId, { signal }).catch((error: unknown) => {
      if (!signal.aborted) faultSurvived(telemetry, { where: duty }, error)
    })
  }
}
