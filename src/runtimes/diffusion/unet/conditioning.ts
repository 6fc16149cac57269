/** The UNet's inputs besides the latents. */
export interface Conditioning {
  /** Text, [tokens, context width]. */
  readonly hidden: Float32Array
  readonly tokens: number
  /** [pooled width] */
  readonly pooled: Float32Array
  /** Sizes and crop (or score) the picture should look like, see `time-ids.ts`. */
  readonly timeIds: readonly number[]
}

/** Latents of one image: float32 [channels, height, width]. */
export interface LatentSize {
  readonly channels: number
  readonly height: number
  readonly width: number
}

/** Latents of a picture with their size. */
export interface PlacedLatents {
  readonly values: Float32Array
  readonly size: LatentSize
}
