import type { AssetDescriptor, ExaminedWeights } from '../../core/assets/asset.ts'
import { assetReference, type UploadedAsset } from '../../core/assets/uploaded-asset.ts'
import type { ImageModelDescriptor } from '../../core/model.ts'
import type { AssetFiles } from '../../core/ports/asset-files.ts'
import type { DocumentStore } from '../../core/ports/document-store.ts'
import type { ModelCatalog } from '../../core/ports/model-catalog.ts'
import { listAssetRecords } from './asset-records.ts'

/** An upload that requests may name, and what its file says. */
export interface LibraryEntry {
  readonly asset: UploadedAsset
  /** Goes by the upload's {@link assetReference}. */
  readonly weights: { readonly model: ImageModelDescriptor } | { readonly part: AssetDescriptor }
}

export interface LibrarySources {
  readonly catalog: ModelCatalog
  readonly documents: DocumentStore
  readonly files: AssetFiles
  readonly examine: (path: string, name: string) => Promise<ExaminedWeights>
}

/** The uploads that requests may name, beside the catalog of installed models. */
export class AssetLibrary {
  readonly #sources: LibrarySources
  #entries: ReadonlyMap<string, LibraryEntry> = new Map()

  constructor(sources: LibrarySources) {
    this.#sources = sources
  }

  /** Every entry, deleted ones included. */
  entries(): readonly LibraryEntry[] {
    return [...this.#entries.values()]
  }

  /** Reads anew what the store knows; entries that are known already keep what their files said. */
  async refresh(options: { readonly signal: AbortSignal }): Promise<void> {
    const entries = new Map<string, LibraryEntry>()
    for (const asset of await listAssetRecords(this.#sources, { accountId: null }, options)) {
      if (asset.state !== 'ready' && asset.state !== 'deleted') continue
      const known = this.#entries.get(asset.id)
      const entry = known === undefined ? await this.#examine(asset) : { ...known, asset }
      if (entry !== null) entries.set(asset.id, entry)
    }
    this.#entries = entries
  }

  /** Lets requests name an upload whose file was checked. */
  async admit(asset: UploadedAsset): Promise<void> {
    const entry = await this.#examine(asset)
    if (entry !== null) this.#entries = new Map(this.#entries).set(asset.id, entry)
  }

  /** Notes a change of an upload's record. */
  note(asset: UploadedAsset): void {
    const known = this.#entries.get(asset.id)
    if (known !== undefined) this.#entries = new Map(this.#entries).set(asset.id, { ...known, asset })
  }

  forget(id: string): void {
    const entries = new Map(this.#entries)
    entries.delete(id)
    this.#entries = entries
  }

  /** What one account may name: installed models and parts, public uploads, and its own, which go before others of their name. */
  catalogFor(accountId: string): ModelCatalog {
    const { catalog } = this.#sources
    const seen = this.entries()
      .filter(({ asset }) => asset.state === 'ready' && (asset.isPublic || asset.accountId === accountId))
      .toSorted((one, other) => Number(other.asset.accountId === accountId) - Number(one.asset.accountId === accountId))
    const named = (name: string): readonly LibraryEntry[] => seen.filter(({ asset }) => goesBy(asset, name))
    return this.#with(catalog, seen, named)
  }

  /** Everything by the names that requests are stored with, for what runs them. */
  get everything(): ModelCatalog {
    const byReference = (name: string): readonly LibraryEntry[] => {
      const entry = this.#entries.get(name.slice(0, name.indexOf('/')))
      return entry === undefined || assetReference(entry.asset) !== name ? [] : [entry]
    }
    return this.#with(this.#sources.catalog, [], byReference)
  }

  #with(catalog: ModelCatalog, listed: readonly LibraryEntry[], named: (name: string) => readonly LibraryEntry[]): ModelCatalog {
    return {
      list: () => [...catalog.list(), ...listed.flatMap(({ weights }) => ('model' in weights ? [weights.model] : []))],
      find: (id) => named(id).flatMap(({ weights }) => ('model' in weights ? [weights.model] : []))[0] ?? catalog.find(id),
      defaultImageModel: (accepts) => catalog.defaultImageModel(accepts),
      listAssets: () => [...catalog.listAssets(), ...listed.flatMap(({ weights }) => ('part' in weights ? [weights.part] : []))],
      findAsset: (kind, name) =>
        named(name)
          .flatMap(({ weights }) => ('part' in weights ? [weights.part] : []))
          .find((part) => part.kind === kind) ?? catalog.findAsset(kind, name),
      findUnusable: (name) => catalog.findUnusable(name),
    }
  }

  async #examine(asset: UploadedAsset): Promise<LibraryEntry | null> {
    const { files, examine } = this.#sources
    const reference = assetReference(asset)
    const found = await examine(files.path(asset.id), reference)
    if (found.kind === 'asset')
      return { asset, weights: { part: { ...found.descriptor, family: found.descriptor.family ?? asset.family } } }
    return found.kind === 'checkpoint' ? { asset, weights: { model: { ...found.descriptor, name: asset.name } } } : null
  }
}

/** Whether an upload goes by a name: its own, its id, the reference of both, or its account's with its name. */
export function goesBy(asset: UploadedAsset, name: string): boolean {
  return [asset.name, asset.id, assetReference(asset), `${asset.accountId}/${asset.name}`].includes(name)
}
