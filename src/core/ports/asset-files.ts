import type { AssetDescriptor, AssetKind } from '../assets/asset.ts'
import type { UpscalerFacts } from '../model.ts'

/** What may be at the path of an asset: its weights, or the picture that shows what it does. */
export type AssetFilePart = 'weights' | 'picture'

/** Keeps the files that accounts upload, by the ids of their assets. Engines read the weights at their path. */
export interface AssetFiles {
  /** Absolute path of an asset's checked weights. */
  path(id: string): string
  /**
   * Appends what comes in to an asset's unchecked weights; what came before a failure stays, so that the rest can follow.
   *
   * @param from Bytes that must be there already; 0 = start over.
   * @param mayGrowTo Called with the resulting size before each piece is written; throws where it is too large.
   * @returns Bytes there now, on stable storage.
   * @throws {ServiceError} `validation_error` naming the bytes that are there when they are not `from`, `server_is_overloaded` when the disk is full, or cannot be written.
   */
  receive(
    id: string,
    content: AsyncIterable<Uint8Array>,
    options: { readonly from: number; readonly mayGrowTo: (bytes: number) => void; readonly signal: AbortSignal },
  ): Promise<number>
  /** Path and size of an asset's weights, unchecked or, when a crash came between, accepted; null when nothing has come in. */
  received(id: string): Promise<{ readonly path: string; readonly bytes: number } | null>
  /** Turns the unchecked weights into the asset's; those that are it already stay. */
  accept(id: string): Promise<void>
  /** Keeps an asset's picture, in the place of the one before; whole or not at all. */
  putPicture(id: string, bytes: Uint8Array): Promise<void>
  /** The bytes of one part in pieces, with how many there are in all; null when there is none. */
  open(
    id: string,
    part: AssetFilePart,
    options: { readonly signal: AbortSignal },
  ): Promise<{ readonly bytes: number; readonly pieces: AsyncIterable<Uint8Array> } | null>
  /** Removes everything of an asset; what is not there counts as removed. */
  remove(id: string): Promise<void>
  /** Ids of everything that was last written before `olderThan`, in Unix milliseconds. */
  listOld(olderThan: number): AsyncIterable<string>
}

/** Looks installed assets up by name. */
export type FindAsset = (kind: AssetKind, name: string) => AssetDescriptor | undefined

/** Looks installed upscalers up by name. */
export type FindUpscaler = (name: string) => UpscalerFacts | undefined
