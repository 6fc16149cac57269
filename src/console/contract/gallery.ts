/** One stored picture. */
export interface GalleryPicture {
  readonly inferenceId: string
  /** Its place among the images of its output. */
  readonly index: number
  readonly seed: number
  readonly removedForSafety: boolean
  /** Unix milliseconds. */
  readonly expiresAt: number
}

/** GET /console/api/gallery. */
export interface GalleryPage {
  /** Newest first. */
  readonly pictures: readonly GalleryPicture[]
  /** To pass as `after` for the next page, or null. */
  readonly next: string | null
}
