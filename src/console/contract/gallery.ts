/** One picture in the gallery: of a stored output, or a kept copy. */
export interface GalleryPicture {
  /** Unique in the list. */
  readonly key: string
  /** Address of its file. */
  readonly address: string
  readonly inferenceId: string
  /** Index among the images of its output. */
  readonly index: number
  readonly seed: number
  readonly model: string
  /** The beginning of its prompt; null = unknown. */
  readonly prompt: string | null
  /** Id of the kept copy, or null. */
  readonly kept: string | null
  /** Time of its deletion, in Unix milliseconds; null = with its account. */
  readonly expiresAt: number | null
}

/** GET /console/api/gallery and /console/api/pictures; both take `search` and `after`. */
export interface GalleryPage {
  /** Newest first. */
  readonly pictures: readonly GalleryPicture[]
  /** The value of `after` for the next page, or null. */
  readonly next: string | null
}

/** PUT /console/api/outputs/:id/images/:index/kept. */
export interface PictureKept {
  readonly id: string
}
