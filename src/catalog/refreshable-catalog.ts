import { isDeepStrictEqual } from 'node:util'
import type { AssetDescriptor, AssetKind, UnusableFile } from '../core/assets/asset.ts'
import type { ImageModelDescriptor, ModelDescriptor } from '../core/model.ts'
import type { ModelCatalog } from '../core/ports/model-catalog.ts'
import type { CatalogEntry, CatalogFault } from './catalog-fault.ts'
import { checkEntries } from './check-entries.ts'
import { PulledFolder } from './pulled-folder.ts'
import { nothingRead, type ReadEntries } from './read-entries.ts'
import { SettledFolders } from './settled-folders.ts'
import { findUnusableFile } from './unusable-files.ts'

/** What a refresh changed. */
export interface CatalogChange {
  /** Ids of the models that came; one that was replaced came and left. */
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** What is wrong in the folder; models at fault are left out, and none that was there before for the sake of a new one. */
  readonly faults: readonly CatalogFault[]
}

/** A catalog that can look again at the folders of models. */
export interface RefreshableCatalog extends ModelCatalog {
  /** Fields of its models' files that do nothing. */
  readonly idleFields: readonly CatalogFault[]
  /** What is wrong with files and models that were left out. */
  readonly faults: readonly CatalogFault[]
  /** Files that no request can use, by the names that it would say. */
  readonly unusable: readonly UnusableFile[]
  /** Replaces the list by what lies in the folders now, at once for everybody. */
  refresh(options: { readonly signal: AbortSignal }): Promise<CatalogChange>
}

interface CatalogFolders {
  readonly settled: SettledFolders
  readonly pulled: PulledFolder | null
  /** Place of the folder of built-in models; null = there is none. */
  readonly builtInSource: number | null
}

/** The models of the folders that the settings name, and those of the folder into which models are pulled. */
class FolderCatalog implements RefreshableCatalog {
  readonly #folders: CatalogFolders
  #fixed: ReadEntries
  #pulled: ReadEntries
  #models: readonly ModelDescriptor[] = []
  #byId: ReadonlyMap<string, ModelDescriptor> = new Map()
  #lastRefresh: Promise<unknown> = Promise.resolve()

  constructor({ fixed, pulled }: { readonly fixed: ReadEntries; readonly pulled: ReadEntries }, folders: CatalogFolders) {
    this.#folders = folders
    this.#fixed = withoutClashes(fixed, { others: nothingRead, known: [] })
    this.#pulled = withoutClashes(pulled, { others: this.#fixed, known: [] })
    this.#list()
  }

  get faults(): readonly CatalogFault[] {
    return [...this.#fixed.faults, ...this.#pulled.faults]
  }

  get idleFields(): readonly CatalogFault[] {
    return [...this.#fixed.idle, ...this.#pulled.idle]
  }

  get unusable(): readonly UnusableFile[] {
    return [...this.#fixed.unusable, ...this.#pulled.unusable]
  }

  list(): readonly ModelDescriptor[] {
    return this.#models
  }

  find(modelId: string): ModelDescriptor | undefined {
    return this.#byId.get(modelId)
  }

  defaultImageModel(accepts: (model: ImageModelDescriptor) => boolean = () => true): ImageModelDescriptor | undefined {
    const entries = [...this.#fixed.entries, ...this.#pulled.entries]
    const isBuiltIn = ({ source }: CatalogEntry) => source === this.#folders.builtInSource
    return [...entries.filter((entry) => !isBuiltIn(entry)), ...entries.filter(isBuiltIn)]
      .map(({ descriptor }) => descriptor)
      .filter(({ hidden = false }) => !hidden)
      .filter((descriptor) => descriptor.kind === 'image')
      .find(accepts)
  }

  listAssets(): readonly AssetDescriptor[] {
    return [...this.#fixed.assets, ...this.#pulled.assets]
  }

  findAsset(kind: AssetKind, name: string): AssetDescriptor | undefined {
    const assets = this.listAssets().filter((asset) => asset.kind === kind)
    // Prompts of other programs name a file with its folders: `SDXL/styles/ink`.
    return assets.find((asset) => asset.name === name) ?? assets.find(({ file }) => name.includes('/') && isAtPath(file, name))
  }

  findUnusable(name: string): UnusableFile | undefined {
    return findUnusableFile(name, {
      unusable: this.unusable,
      usable: [...this.#models.map(({ id }) => id), ...this.listAssets().map((asset) => asset.name)],
    })
  }

  refresh({ signal }: { readonly signal: AbortSignal }): Promise<CatalogChange> {
    // One after the other: an older reading must not replace a newer one.
    const change = this.#lastRefresh.then(() => this.#refresh(signal))
    this.#lastRefresh = change.catch(() => {})
    return change
  }

  async #refresh(signal: AbortSignal): Promise<CatalogChange> {
    signal.throwIfAborted()
    const before = this.#models
    const fixed = await this.#folders.settled.readIfSettled()
    if (fixed !== null) this.#fixed = withoutClashes(fixed, { others: this.#pulled, known: before })
    const pulled = await this.#folders.pulled?.readIfChanged()
    if (pulled) this.#pulled = withoutClashes(pulled, { others: this.#fixed, known: before })
    if (fixed === null && !pulled) return { added: [], removed: [], faults: [] }
    this.#list()
    const faults = [...(fixed === null ? [] : this.#fixed.faults), ...(pulled ? this.#pulled.faults : [])]
    return { added: listDifference(this.#models, before), removed: listDifference(before, this.#models), faults }
  }

  #list(): void {
    this.#models = [...this.#fixed.entries, ...this.#pulled.entries].map(({ descriptor }) => descriptor)
    this.#byId = new Map(this.#models.map((model) => [model.id, model]))
  }
}

/** What was read but for what takes the name of another, which goes to its faults; what is known already keeps its name. */
function withoutClashes(
  read: ReadEntries,
  { others, known }: { readonly others: ReadEntries; readonly known: readonly ModelDescriptor[] },
): ReadEntries {
  const isKnown = ({ descriptor }: CatalogEntry) => known.some((model) => isDeepStrictEqual(model, descriptor))
  const knownFirst = [...read.entries.filter(isKnown), ...read.entries.filter((entry) => !isKnown(entry))]
  const clashes = checkEntries([others, { ...read, entries: knownFirst, faulty: [] }])
  const refused = new Set(clashes.map(({ file }) => file))
  return {
    ...read,
    entries: read.entries.filter((entry) => isKnown(entry) || !refused.has(entry.modelFile)),
    assets: read.assets.filter(({ file }) => !refused.has(file)),
    faults: [...read.faults, ...clashes],
  }
}

/** Ids of the models that the other list has not, or has differently. */
function listDifference(models: readonly ModelDescriptor[], others: readonly ModelDescriptor[]): readonly string[] {
  return models.filter((model) => !others.some((other) => isDeepStrictEqual(other, model))).map(({ id }) => id)
}

/** Whether a file's path ends with some folders and its name without extension. */
function isAtPath(file: string, name: string): boolean {
  return file
    .replaceAll('\\', '/')
    .replace(/\.safetensors$/iu, '')
    .endsWith(`/${name}`)
}

/** Where models lie. */
export interface ModelFolders {
  /** The folder of the models that come with the service; they are the last to be a default. */
  readonly builtIn?: string
  /** Folders that must be there at first, read again by a refresh when they have changed and are at rest. */
  readonly folders: readonly string[]
  /** The folder whose models come and go, read again by each refresh; one that is not there is empty. */
  readonly pulledFolder?: string
}

/**
 * Reads every model folder inside the given folders. Files and models with faults are left out and listed in the catalog's `faults`.
 *
 * @throws {CatalogError} when a given folder cannot be read.
 */
export async function openCatalog({ builtIn, folders: others, pulledFolder }: ModelFolders): Promise<RefreshableCatalog> {
  const folders = builtIn === undefined ? others : [builtIn, ...others]
  const pulled = pulledFolder === undefined ? null : new PulledFolder(pulledFolder, folders.length)
  const settled = new SettledFolders(folders)
  const fixed = await settled.open()
  const changing = (await pulled?.readIfChanged()) ?? nothingRead
  return new FolderCatalog({ fixed, pulled: changing }, { settled, pulled, builtInSource: builtIn === undefined ? null : 0 })
}
