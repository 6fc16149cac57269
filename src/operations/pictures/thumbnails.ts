import { plainDocument, type StoredDocument } from '../../core/document.ts'
import { ServiceError } from '../../core/error.ts'
import type { InspectImage } from '../../core/images/inspect-image.ts'
import type { OutputReference } from '../../core/inference.ts'
import type { JsonValue } from '../../core/json-value.ts'
import type { OutputStore } from '../../core/ports/output-store.ts'
import { Turns } from '../../core/turns.ts'
import { type Abortable, neverAborted } from '../../core/waiting.ts'
import { removeWithFiles } from '../account-bytes.ts'
import type { DocumentDependencies } from '../account-documents.ts'
import { idFrom } from '../id-from.ts'

/** Available widths in pixels; few, so that nobody can fill the disk with thumbnails. */
export const thumbnailWidths = [160, 320, 640, 1024] as const
export type ThumbnailWidth = (typeof thumbnailWidths)[number]

/** Retention of thumbnails of pictures that do not expire. It also removes a thumbnail that was created while its picture was deleted. */
const keptMs = 30 * 86_400_000

/** Dependencies of thumbnails. */
export interface ThumbnailDependencies extends DocumentDependencies {
  readonly outputs: OutputStore
  readonly inspectImage: InspectImage
}

/** A picture that never changes. */
export interface ThumbnailSource {
  readonly accountId: string
  /** Unique name of the picture. */
  readonly picture: string
  /** Expiry of the picture and its thumbnails; null = until deleted. */
  readonly expiresAt: number | null
  read(): Promise<Uint8Array>
}

/** Small WebP versions of pictures, created once and kept as long as the picture, up to a month if it does not expire. */
export class Thumbnails {
  readonly #deps: ThumbnailDependencies
  /** One thumbnail at a time per account, so that one account's page cannot occupy all decoders. */
  readonly #turns = new Turns(1)

  constructor(deps: ThumbnailDependencies) {
    this.#deps = deps
  }

  /** Opens a picture in one of the widths, or in its own if that is smaller; the original if it cannot be decoded. */
  async open(source: ThumbnailSource, width: ThumbnailWidth, options: Abortable): Promise<Uint8Array> {
    const known = await this.#find(source, width, options)
    if (known !== null) return known
    using _turn = await this.#turns.take(source.accountId, options)
    return (await this.#find(source, width, options)) ?? (await this.#make(source, width, options))
  }

  async #find({ accountId, picture }: ThumbnailSource, width: ThumbnailWidth, options: Abortable): Promise<Uint8Array | null> {
    const found = await this.#deps.documents.get({ kind: 'thumbnail', id: thumbnailId(picture, width), accountId }, options)
    if (found === null) return null
    try {
      return Buffer.concat(await Array.fromAsync(await this.#deps.outputs.open(readFile(found), options)))
    } catch {
      // A missing or damaged file is created again.
      options.signal.throwIfAborted()
      return null
    }
  }

  async #make(source: ThumbnailSource, width: ThumbnailWidth, options: Abortable): Promise<Uint8Array> {
    const { documents, outputs, clock, inspectImage, maxDocumentBytes: most } = this.#deps
    const { accountId, picture, expiresAt } = source
    const original = await source.read()
    const { thumbnail } = await inspectImage(original, { ...options, account: accountId, thumbnailWidth: width }).catch(
      (error: unknown) => {
        if (error instanceof ServiceError && error.code === 'validation_error') return { thumbnail: undefined }
        throw error
      },
    )
    if (thumbnail === undefined) return original
    const id = thumbnailId(picture, width)
    const file = await outputs.put({ inferenceId: id, attempt: 1 }, { contentType: 'image/webp', chunks: [thumbnail] }, options)
    const { key, contentType, bytes, sha256 } = file
    const value: JsonValue = { file: { key, contentType, bytes, sha256 } }
    // Its bytes do not count against the account's storage, because the service decides to create them.
    const facts = { kind: 'thumbnail', id, accountId, value, at: clock.now() } as const
    const document = { ...plainDocument, ...facts, expiresAt: expiresAt ?? facts.at + keptMs }
    // If the account is over its limit, the thumbnail is created each time.
    if ((await documents.put(document, { ...options, most })) !== 'stored') await outputs.delete([key], neverAborted)
    return thumbnail
  }
}

/** Deletes the thumbnails of a deleted picture. */
export async function removeThumbnails(
  deps: Pick<ThumbnailDependencies, 'documents' | 'outputs'>,
  { accountId, picture }: Pick<ThumbnailSource, 'accountId' | 'picture'>,
  options: Abortable,
): Promise<void> {
  for (const width of thumbnailWidths)
    await removeWithFiles(deps, { kind: 'thumbnail', id: thumbnailId(picture, width), accountId }, options)
}

function thumbnailId(picture: string, width: ThumbnailWidth): string {
  return idFrom(`thumbnail ${width} ${picture}`)
}

/** Only this file writes such documents, so their shape is known. */
function readFile({ value }: StoredDocument): OutputReference {
  return (value as unknown as { readonly file: OutputReference }).file
}
