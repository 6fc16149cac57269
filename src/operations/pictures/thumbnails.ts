import { createHash } from 'node:crypto'
import type { Document, StoredDocument } from '../../core/document.ts'
import { ServiceError } from '../../core/error.ts'
import type { OutputReference } from '../../core/inference.ts'
import type { JsonValue } from '../../core/json-value.ts'
import type { DocumentStore } from '../../core/ports/document-store.ts'
import type { OutputStore } from '../../core/ports/output-store.ts'
import { neverAborted } from '../../core/waiting.ts'

/** The widths that pictures can be had in, in pixels: few, so that nobody fills the disk with them. */
export const thumbnailWidths = [160, 320, 640, 1024] as const
export type ThumbnailWidth = (typeof thumbnailWidths)[number]

/** How long a thumbnail is kept of a picture that has no end itself: one that was made while its picture was deleted must not stay. */
const keptMs = 30 * 86_400_000

/** Makes a picture smaller. @throws {ServiceError} `validation_error` for one that cannot be decoded. */
export type Shrink = (
  bytes: Uint8Array,
  options: { readonly signal: AbortSignal; readonly account: string; readonly thumbnailWidth: number },
) => Promise<{ readonly thumbnail?: Uint8Array }>

/** What thumbnails are kept in, and how much of it an account may use. */
export interface ThumbnailDependencies {
  readonly documents: DocumentStore
  readonly outputs: OutputStore
  readonly clock: { now(): number }
  readonly inspectImage: Shrink
  readonly mostDocumentBytes: number
}

/** A picture that never changes. */
export interface ThumbnailSource {
  readonly accountId: string
  /** Names the picture among all. */
  readonly picture: string
  /** When the picture is deleted, and its thumbnails with it; null = when somebody deletes it. */
  readonly expiresAt: number | null
  read(): Promise<Uint8Array>
}

type Options = { readonly signal: AbortSignal }

/** Pictures as small WebP files, each made once and kept as long as the picture, at most a month where that stays. */
export class Thumbnails {
  readonly #deps: ThumbnailDependencies
  /** The last that is being made for each account: a page of pictures must not take the decoders of everybody. */
  readonly #turns = new Map<string, Promise<unknown>>()

  constructor(deps: ThumbnailDependencies) {
    this.#deps = deps
  }

  /** A picture in one of the widths, or as wide as it is; the picture itself where it cannot be decoded. */
  async open(source: ThumbnailSource, width: ThumbnailWidth, options: Options): Promise<Uint8Array> {
    const known = await this.#find(source, width, options)
    if (known !== null) return known
    const { accountId } = source
    const turn = (this.#turns.get(accountId) ?? Promise.resolve()).then(async () => {
      options.signal.throwIfAborted()
      return (await this.#find(source, width, options)) ?? (await this.#make(source, width, options))
    })
    const over = turn.catch(() => {})
    this.#turns.set(accountId, over)
    try {
      return await turn
    } finally {
      if (this.#turns.get(accountId) === over) this.#turns.delete(accountId)
    }
  }

  async #find({ accountId, picture }: ThumbnailSource, width: ThumbnailWidth, options: Options): Promise<Uint8Array | null> {
    const found = await this.#deps.documents.get({ kind: 'thumbnail', id: thumbnailId(picture, width), accountId }, options)
    if (found === null) return null
    try {
      return Buffer.concat(await Array.fromAsync(await this.#deps.outputs.open(readFile(found), options)))
    } catch {
      // A file that is gone or damaged is made again.
      options.signal.throwIfAborted()
      return null
    }
  }

  async #make(source: ThumbnailSource, width: ThumbnailWidth, options: Options): Promise<Uint8Array> {
    const { documents, outputs, clock, inspectImage, mostDocumentBytes: most } = this.#deps
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
    const facts = { at: clock.now(), label: null, text: '', expiresAt: expiresAt ?? clock.now() + keptMs }
    // Its bytes are the service's doing, so that they do not count against what the account may keep.
    const document: Document = { kind: 'thumbnail', id, accountId, value, attachedBytes: 0, ...facts }
    // Where the account keeps too much already, the thumbnail is made again each time.
    if ((await documents.put(document, { ...options, most })) !== 'stored') await outputs.delete([key], neverAborted)
    return thumbnail
  }
}

/** Deletes the thumbnails of a picture that is deleted. */
export async function removeThumbnails(
  { documents, outputs }: Pick<ThumbnailDependencies, 'documents' | 'outputs'>,
  { accountId, picture }: Pick<ThumbnailSource, 'accountId' | 'picture'>,
  options: Options,
): Promise<void> {
  for (const width of thumbnailWidths) {
    const key = { kind: 'thumbnail', id: thumbnailId(picture, width), accountId } as const
    const found = await documents.get(key, options)
    if (found !== null && (await documents.remove(key, options))) await outputs.delete(thumbnailFiles([found]), neverAborted)
  }
}

/** Keys of the files of thumbnails whose documents are gone. */
export function thumbnailFiles(documents: readonly StoredDocument[]): readonly string[] {
  return documents.filter(({ kind }) => kind === 'thumbnail').map((document) => readFile(document).key)
}

/** In the form of an inference's id, which files are stored by. */
function thumbnailId(picture: string, width: ThumbnailWidth): string {
  const hex = createHash('sha256').update(`thumbnail ${width} ${picture}`).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}

/** Documents of this kind are written here and nowhere else, so that their shape is known. */
function readFile({ value }: StoredDocument): OutputReference {
  return (value as unknown as { readonly file: OutputReference }).file
}
