/** Rows of vectors that stand for a picture, or for a part of one, in a prompt. */
export interface PictureBlock {
  readonly rows: number
  /** Rows of a line where they stand in a grid, each at a line and a column; null = one behind the other. */
  readonly columns: number | null
}

/** What turns pictures into rows of vectors, which a language model reads like tokens. */
export interface VisionTower extends AsyncDisposable {
  /** Numbers of a row's vector. */
  readonly width: number
  /** Whether every row of a block sees all others of it, also those behind it. */
  readonly seesAround: boolean
  /** Whether blocks are grids, which only some language models place. */
  readonly makesGrids: boolean
  /**
   * How a picture is shown: texts, which may spell control tokens, and blocks, in order. Only its header is read.
   *
   * @throws {ServiceError} `validation_error` when it is no picture, or too large.
   */
  layOut(picture: Uint8Array, options: { readonly signal: AbortSignal }): Promise<readonly (string | PictureBlock)[]>
  /**
   * The vectors of each block, in order: float32 [rows, width].
   *
   * @throws {ServiceError} `validation_error` when it does not decode.
   */
  look(picture: Uint8Array, options: { readonly signal: AbortSignal }): Promise<readonly Float32Array[]>
}
