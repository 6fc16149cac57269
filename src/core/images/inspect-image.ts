/** What an inspection checks and returns besides decoding the image. */
export interface InspectionOptions {
  readonly signal: AbortSignal
  /** The picture's account, if known; accounts take turns. */
  readonly account?: string
  /** Requires a mask that still has white when resized to this size. */
  readonly whiteAt?: { readonly width: number; readonly height: number }
  /** Requests the transparent parts as a mask; `whiteAt` then applies to this mask. */
  readonly transparency?: boolean
  /** Requests a copy of at most this width in pixels. */
  readonly thumbnailWidth?: number
  /** WebP by default. */
  readonly thumbnailFormat?: 'webp' | 'png'
}

/** The properties of an uploaded image. */
export interface InspectedImage {
  readonly format: string
  readonly width: number
  readonly height: number
  /** White where the image is transparent, as PNG; only if requested. */
  readonly mask?: Uint8Array
  /** Only if requested. */
  readonly thumbnail?: Uint8Array
}

/** Checks an uploaded image. Throws `validation_error` when it cannot be decoded, or has no white at the given size. */
export type InspectImage = (bytes: Uint8Array, options: InspectionOptions) => Promise<InspectedImage>
