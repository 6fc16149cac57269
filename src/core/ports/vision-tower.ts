import type { Abortable } from '../waiting.ts'

/** Embedding rows for a picture, or for a part of one, in a prompt. */
export interface PictureBlock {
  readonly rows: number
  /** Rows per line if they form a grid; null = a sequence. */
  readonly columns: number | null
}

/** Encodes pictures into embedding rows for a language model. */
export interface VisionTower extends AsyncDisposable {
  /** Width of a row. */
  readonly width: number
  /** Whether attention within a block is bidirectional. */
  readonly seesAround: boolean
  /** Whether blocks are grids, which only some language models support. */
  readonly makesGrids: boolean
  /**
   * The layout of a picture in a prompt: texts, which may contain control tokens, and blocks, in order. Only the picture's header is read.
   *
   * @throws {ServiceError} `validation_error` if it is not a picture or too large.
   */
  layOut(picture: Uint8Array, options: Abortable): Promise<readonly (string | PictureBlock)[]>
  /**
   * Encodes a picture into the rows of each block, in order: float32 [rows, width].
   *
   * @throws {ServiceError} `validation_error` if it cannot be decoded.
   */
  look(picture: Uint8Array, options: Abortable): Promise<readonly Float32Array[]>
}
