import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { AssetDescriptor, AssetKind, UnusableFile } from '../core/assets/asset.ts'
import { findNamedAsset, weightStem } from '../core/assets/find-asset.ts'
import type { ImageModelDescriptor, ModelDescriptor } from '../core/model.ts'
import type { ModelCatalog } from '../core/ports/model-catalog.ts'
import type { Abortable } from '../core/waiting.ts'
import type { CatalogEntry, CatalogFault } from './catalog-fault.ts'
import { checkEntries } from './check-entries.ts'
import { PulledFolder } from './pulled-folder.ts'
import { nothingRead, type ReadEntries } from './read-entries.ts'
import { SettledFolders } from './settled-folders.ts'
import { findUnusableFile } from './unusable-files.ts'

/** Changes made by a refresh. */
export interface CatalogChange {
  /** Ids of new models; a replaced model is both added and removed. */
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** Faults in the folder; faulty models are left out, and existing models are never removed because of new ones. */
  readonly faults: readonly CatalogFault[]
}

type RefreshOptions = Abortable & { readonly isBrief?: boolean }

/** A catalog that can reload the model folders. */
export interface RefreshableCatalog extends ModelCatalog {
  /** Fields without effect in models' files. */
  readonly ignoredFields: readonly CatalogFault[]
  /** Faults of files and models that were left out. */
  readonly faults: readonly CatalogFault[]
  /** Files that no request can use, by the names that it would say. */
  readonly unusable: readonly UnusableFile[]
  /**
   * Reloads the list from the folders, at once for all users.
   *
   * @param options.isBrief Whether to check only the folder of pulled models, and folders that were changing at the last check.
   */
  refresh(options: RefreshOptions): Promise<CatalogChange>
}

interface CatalogFolders {
  readonly settled: SettledFolders
  readonly pulled: PulledFolder | null
  /** Index of the folder of built-in models; null = none. */
  readonly builtInSource: number | null
}

/** The models of the configured folders and of the folder of pulled models. */
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

  get ignoredFields(): readonly CatalogFault[] {
    return [...this.#fixed.idle, ...this.#pulled.idle]
  }

  get unusable(): readonly UnusableFile[] {
    return [...this.#fixed.unusable, ...this.#pulled.unusable]
  }

  list(): readonly ModelDescriptor[] {
    return this.#models
  }

  find(modelId: string): ModelDescriptor | undefined {
    return this.#byId.get(modelId) ?? this.#byId.get(modelId.normalize('NFC'))
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

  findAsset(kind: AssetKind, given: string): AssetDescriptor | undefined {
    return findNamedAsset(this.listAssets(), kind, given)
  }

  findUnusable(given: string): UnusableFile | undefined {
    const name = given.normalize('NFC')
    const unusable = findUnusableFile(name, {
      unusable: this.unusable,
      usable: [...this.#models.map(({ id }) => id), ...this.listAssets().map((asset) => asset.name)],
    })
    return unusable ?? [...this.#fixed.parts, ...this.#pulled.parts].find((part) => part.name === name || part.name === weightStem(name))
  }

  refresh(options: RefreshOptions): Promise<CatalogChange> {
    // Serialized, so that an older result cannot replace a newer one.
    const change = this.#lastRefresh.then(() => this.#refresh(options))
    this.#lastRefresh = change.catch(() => {})
    return change
  }

  async #refresh({ signal, isBrief = false }: RefreshOptions): Promise<CatalogChange> {
    signal.throwIfAborted()
    const before = this.#models
    const { settled } = this.#folders
    const fixed = isBrief && settled.isSettled ? null : await settled.readIfSettled()
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

/** Removes entries whose names are taken, adding them to the faults; existing entries keep their names. */
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

/** Ids of models that are missing or different in the other list. */
function listDifference(models: readonly ModelDescriptor[], others: readonly ModelDescriptor[]): readonly string[] {
  return models.filter((model) => !others.some((other) => isDeepStrictEqual(other, model))).map(({ id }) => id)
}

/** Paths of model folders. */
export interface ModelFolders {
  /** The folder of built-in models, which are chosen last as defaults. */
  readonly builtIn?: string | undefined
  /** Folders that must exist at start; a refresh reads them again after changes have settled. */
  readonly folders: readonly string[]
  /** The folder of pulled models, read by each refresh; may be missing. */
  readonly pulledFolder?: string
  /** Folders for the service's other files, which are not searched for models; they and the folder of pulled models may lie inside `folders`. */
  readonly apart?: readonly string[]
}

/** Where a folder lies, without links. */
function placeOf(folder: string): Promise<string> {
  return realpath(folder).catch(() => resolve(folder))
}

/**
 * Reads all models in the given folders. Faulty files and models are left out and listed in `faults`.
 *
 * @throws {CatalogError} if a given folder cannot be read.
 */
export async function openCatalog({ builtIn, folders: others, pulledFolder, apart = [] }: ModelFolders): Promise<RefreshableCatalog> {
  const pulledPlace = pulledFolder === undefined ? null : await placeOf(pulledFolder)
  const named: string[] = []
  for (const folder of others) if ((await placeOf(folder)) !== pulledPlace) named.push(folder)
  const folders = builtIn === undefined ? named : [builtIn, ...named]
  const pulled = pulledFolder === undefined ? null : new PulledFolder(pulledFolder, folders.length)
  const settled = new SettledFolders(folders, pulledFolder === undefined ? apart : [pulledFolder, ...apart])
  const fixed = await settled.open()
  const changing = (await pulled?.readIfChanged()) ?? nothingRead
  return new FolderCatalog({ fixed, pulled: changing }, { settled, pulled, builtInSource: builtIn === undefined ? null : 0 })
}
