import type { AssetDescriptor, AssetKind } from '../assets/asset.ts'
import type { UpscalerFacts } from '../model.ts'
import type { Abortable } from '../waiting.ts'

/** Parts of an asset: its weights, or its preview picture. */
export type AssetFilePart = 'weights' | 'picture'

/** Stores uploaded files by asset id. Engines read the weights at their path. */
export interface AssetFiles {
  /** Absolute path of an asset's checked weights. */
  path(id: string): string
  /**
   * Appends to an asset's unchecked weights. Bytes received before a failure are kept, so that the upload can resume.
   *
   * @param from Number of bytes already stored; 0 = start over.
   * @param mayGrowTo Called with the new size before each write; throws if it is too large.
   * @returns Bytes now on stable storage.
   * @throws {ServiceError} `validation_error` naming the stored size if it is not `from`; `server_is_overloaded` if the disk is full or not
   * writable.
   */
  receive(
    id: string,
    content: AsyncIterable<Uint8Array>,
    options: { readonly from: number; readonly mayGrowTo: (bytes: number) => void; readonly signal: AbortSignal },
  ): Promise<number>
  /** Path and size of an asset's weights, unchecked or (after a crash) already accepted; null = nothing received. */
  received(id: string): Promise<{ readonly path: string; readonly bytes: number } | null>
  /** Marks the unchecked weights as checked; no effect if they already are. */
  accept(id: string): Promise<void>
  /** Stores an asset's picture atomically, replacing an earlier one. */
  putPicture(id: string, bytes: Uint8Array): Promise<void>
  /** Opens a part for reading, with its total size and a version that changes with its content; null = none. */
  open(
    id: string,
    part: AssetFilePart,
    options: Abortable,
  ): Promise<{ readonly bytes: number; readonly version: string; readonly pieces: AsyncIterable<Uint8Array> } | null>
  /** Removes all parts of an asset; ignores missing ones. */
  remove(id: string): Promise<void>
  /** Ids of assets last written before `olderThan`, in Unix milliseconds. */
  listOld(olderThan: number): AsyncIterable<string>
}

/** Finds an installed asset by name. */
export type FindAsset = (kind: AssetKind, name: string) => AssetDescriptor | undefined

/** Finds an installed upscaler by name. */
export type FindUpscaler = (name: string) => UpscalerFacts | undefined
