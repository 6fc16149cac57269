/** One picture in the gallery: a stored output's, or a copy that is kept. */
export interface GalleryPicture {
  /** Unlike any other's in the list. */
  readonly key: string
  /** Where its file is. */
  readonly address: string
  readonly inferenceId: string
  /** Its place among the images of its output. */
  readonly index: number
  readonly seed: number
  readonly model: string
  /** The beginning of its prompt; null = nobody knows. */
  readonly prompt: string | null
  /** Id of the copy that is kept, or null. */
  readonly kept: string | null
  /** When it is deleted, in Unix milliseconds; null = when its account does. */
  readonly expiresAt: number | null
}

/** GET /console/api/gallery and /console/api/pictures; both take `search` and `after`. */
export interface GalleryPage {
  /** Newest first. */
  readonly pictures: readonly GalleryPicture[]
  /** To pass as `after` for the next page, or null. */
  readonly next: string | null
}

/** PUT /console/api/outputs/:id/images/:index/kept. */
export interface PictureKept {
  readonly id: string
}
