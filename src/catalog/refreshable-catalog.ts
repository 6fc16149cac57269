import { isDeepStrictEqual } from 'node:util'
import type { ImageModelDescriptor, ModelDescriptor } from '../core/model.ts'
import type { ModelCatalog } from '../core/ports/model-catalog.ts'
import type { CatalogFault } from './catalog-fault.ts'
import { checkEntries } from './check-entries.ts'
import type { PulledFolder } from './pulled-folder.ts'
import type { CatalogEntry } from './read-entries.ts'

/** What a refresh changed. */
export interface CatalogChange {
  /** Ids of the models that came; one that was replaced came and left. */
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** What is wrong in the folder; models at fault are left out, and none that was there before for the sake of a new one. */
  readonly faults: readonly CatalogFault[]
}

/** A catalog that can look again at the folder of pulled models. */
export interface RefreshableCatalog extends ModelCatalog {
  /** Replaces the list by what lies in the folders now, at once for everybody. */
  refresh(options: { readonly signal: AbortSignal }): Promise<CatalogChange>
}

/** The models of folders that were read at start, and those of the folder that changes. */
export class FolderCatalog implements RefreshableCatalog {
  readonly #fixed: readonly CatalogEntry[]
  readonly #folder: PulledFolder | null
  #pulled: readonly CatalogEntry[]
  #models: readonly ModelDescriptor[] = []
  #byId: ReadonlyMap<string, ModelDescriptor> = new Map()
  #lastRefresh: Promise<unknown> = Promise.resolve()

  constructor(fixed: readonly CatalogEntry[], pulled: readonly CatalogEntry[], folder: PulledFolder | null) {
    this.#fixed = fixed
    this.#folder = folder
    this.#pulled = pulled
    this.#list()
  }

  list(): readonly ModelDescriptor[] {
    return this.#models
  }

  find(modelId: string): ModelDescriptor | undefined {
    return this.#byId.get(modelId)
  }

  defaultImageModel(): ImageModelDescriptor | undefined {
    const entries = [...this.#fixed, ...this.#pulled]
    const builtInLast = [...entries.filter(({ source }) => source > 0), ...entries.filter(({ source }) => source === 0)]
    return builtInLast.map(({ descriptor }) => descriptor).find((descriptor) => descriptor.kind === 'image')
  }

  refresh({ signal }: { readonly signal: AbortSignal }): Promise<CatalogChange> {
    // One after the other: an older reading must not replace a newer one.
    const change = this.#lastRefresh.then(() => this.#refresh(signal))
    this.#lastRefresh = change.catch(() => {})
    return change
  }

  async #refresh(signal: AbortSignal): Promise<CatalogChange> {
    signal.throwIfAborted()
    const read = await this.#folder?.readIfChanged()
    if (read === undefined || read === null) return { added: [], removed: [], faults: [] }
    const before = this.#models
    const isKnown = ({ descriptor }: CatalogEntry) => before.some((model) => isDeepStrictEqual(model, descriptor))
    const knownFirst = [...read.entries.filter(isKnown), ...read.entries.filter((entry) => !isKnown(entry))]
    const clashes = checkEntries([...this.#fixed, ...knownFirst])
    const refused = new Set(clashes.map(({ file }) => file))
    this.#pulled = read.entries.filter((entry) => isKnown(entry) || !refused.has(entry.modelFile))
    this.#list()
    return {
      added: listDifference(this.#models, before),
      removed: listDifference(before, this.#models),
      faults: [...read.faults, ...clashes],
    }
  }

  #list(): void {
    this.#models = [...this.#fixed, ...this.#pulled].map(({ descriptor }) => descriptor)
    this.#byId = new Map(this.#models.map((model) => [model.id, model]))
  }
}

/** Ids of the models that the other list has not, or has differently. */
function listDifference(models: readonly ModelDescriptor[], others: readonly ModelDescriptor[]): readonly string[] {
  return models.filter((model) => !others.some((other) => isDeepStrictEqual(other, model))).map(({ id }) => id)
}
