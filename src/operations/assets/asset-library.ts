import type { AssetDescriptor, ExaminedWeights } from '../../core/assets/asset.ts'
import { assetReference, type UploadedAsset } from '../../core/assets/uploaded-asset.ts'
import type { ImageModelDescriptor } from '../../core/model.ts'
import type { AssetFiles } from '../../core/ports/asset-files.ts'
import type { DocumentStore } from '../../core/ports/document-store.ts'
import type { ModelCatalog } from '../../core/ports/model-catalog.ts'
import type { Abortable } from '../../core/waiting.ts'
import { judgeUpload, listAssetRecords, putAssetRecord } from './asset-records.ts'

/** An upload that requests can name, with the result of its examination. */
export interface LibraryEntry {
  readonly asset: UploadedAsset
  /** Named by the upload's {@link assetReference}. */
  readonly weights: { readonly model: ImageModelDescriptor } | { readonly part: AssetDescriptor }
}

export interface LibrarySources {
  readonly catalog: ModelCatalog
  readonly documents: DocumentStore
  readonly files: AssetFiles
  /** Default image model for requests without one. */
  readonly defaultImage?: string | null
  /** Reads the header of the file at a path; `name` is used in the result. */
  readonly examine: (path: string, name: string) => Promise<ExaminedWeights>
}

/** The uploads that requests can name, in addition to the catalog of installed models. */
export class AssetLibrary {
  readonly #sources: LibrarySources
  #entries: ReadonlyMap<string, LibraryEntry> = new Map()

  constructor(sources: LibrarySources) {
    this.#sources = sources
  }

  /** All entries, including deleted ones. */
  entries(): readonly LibraryEntry[] {
    return [...this.#entries.values()]
  }

  /** Reloads the records from the store. Files whose record has no examination result are examined, and the result is stored. */
  async refresh(options: Abortable): Promise<void> {
    const before = this.#entries
    const entries = new Map<string, LibraryEntry>()
    for (const asset of await listAssetRecords(this.#sources, { accountId: null }, options)) {
      if (asset.state === 'rejected' && asset.bytes > 0) await this.#discard(asset, options)
      if (asset.state !== 'ready' && asset.state !== 'deleted') continue
      const entry = this.#entryOf(asset.found === null ? await this.#examine(asset, options) : asset)
      if (entry !== null) entries.set(asset.id, entry)
    }
    // Entries admitted or removed meanwhile are newer than the list.
    for (const [id, entry] of this.#entries) if (before.get(id) !== entry) entries.set(id, entry)
    for (const id of before.keys()) if (!this.#entries.has(id)) entries.delete(id)
    this.#entries = entries
  }

  /** Makes an upload with a checked file available to requests. */
  admit(asset: UploadedAsset): void {
    const entry = this.#entryOf(asset)
    if (entry !== null) this.#entries = new Map(this.#entries).set(asset.id, entry)
  }

  /** Updates the record of an upload. */
  note(asset: UploadedAsset): void {
    const known = this.#entries.get(asset.id)
    if (known !== undefined) this.#entries = new Map(this.#entries).set(asset.id, { ...known, asset })
  }

  forget(id: string): void {
    const entries = new Map(this.#entries)
    entries.delete(id)
    this.#entries = entries
  }

  /** The catalog of an account: installed models and assets, public uploads, and its own uploads, which take precedence. */
  catalogFor(accountId: string): ModelCatalog {
    const { catalog } = this.#sources
    const seen = this.entries()
      .filter(({ asset }) => asset.state === 'ready' && (asset.isPublic || asset.accountId === accountId))
      .toSorted((one, other) => Number(other.asset.accountId === accountId) - Number(one.asset.accountId === accountId))
    const named = (name: string): readonly LibraryEntry[] => seen.filter(({ asset }) => hasName(asset, name))
    return this.#with(catalog, seen, named)
  }

  /** All models and assets by the names used in stored requests. */
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
      defaultImageModel: (accepts = () => true) => {
        const named = catalog.find(this.#sources.defaultImage ?? '')
        return named?.kind === 'image' && accepts(named) ? named : catalog.defaultImageModel(accepts)
      },
      listAssets: () => [...catalog.listAssets(), ...listed.flatMap(({ weights }) => ('part' in weights ? [weights.part] : []))],
      findAsset: (kind, name) =>
        named(name)
          .flatMap(({ weights }) => ('part' in weights ? [weights.part] : []))
          .find((part) => part.kind === kind) ?? catalog.findAsset(kind, name),
      findUnusable: (name) => catalog.findUnusable(name),
    }
  }

  /** Examines a file uploaded to an earlier version and stores the result; a file that is no longer accepted is rejected. */
  async #examine(asset: UploadedAsset, options: Abortable): Promise<UploadedAsset> {
    const { files, examine } = this.#sources
    // A file that cannot be read now may be readable next time.
    const examined = await examine(files.path(asset.id), assetReference(asset)).catch(() => null)
    if (examined === null) return asset
    const judged = judgeUpload(asset, examined)
    if ('fault' in judged && asset.state === 'deleted') {
      // No request can have named it; a file without a record is removed later.
      await this.#sources.documents.remove({ kind: 'asset', id: asset.id, accountId: asset.accountId }, options)
      return asset
    }
    const changed = 'found' in judged ? { ...asset, found: judged.found } : { ...asset, state: 'rejected' as const, details: judged.fault }
    // Another node or its account may have changed it meanwhile; the next refresh reads that record.
    const stored = await putAssetRecord(this.#sources, changed, options).catch(() => null)
    if (stored?.state === 'rejected') await this.#discard(stored, options)
    return stored ?? changed
  }

  /** Deletes the file of a rejected upload, and then its share of the account's quota; the next refresh repeats what fails. */
  async #discard(asset: UploadedAsset, options: Abortable): Promise<void> {
    try {
      await this.#sources.files.remove(asset.id)
      await putAssetRecord(this.#sources, { ...asset, bytes: 0, picture: null }, options)
    } catch {
      options.signal.throwIfAborted()
    }
  }

  #entryOf(asset: UploadedAsset): LibraryEntry | null {
    const { found, state } = asset
    if (found === null || state === 'rejected') return null
    const [path, reference] = [this.#sources.files.path(asset.id), assetReference(asset)]
    if (found.kind === 'asset') {
      const { family, ...descriptor } = found.descriptor
      return { asset, weights: { part: { ...descriptor, name: reference, file: path, family: family ?? asset.family } } }
    }
    const { checkpoint, ...descriptor } = found.descriptor
    const moved = { ...descriptor, id: reference, name: asset.name, folder: path }
    return { asset, weights: { model: { ...moved, ...(checkpoint && { checkpoint: { ...checkpoint, weights: path } }) } } }
  }
}

/** Whether a name refers to an upload: its name, its id, its reference, or its account's id with its name. */
export function hasName(asset: UploadedAsset, name: string): boolean {
  return [asset.name, asset.id, assetReference(asset), `${asset.accountId}/${asset.name}`].includes(name)
}
