import { drawNoLarger } from '../../../interface/draw-no-larger.ts'

/** A picture on this page. */
export interface ReadPicture {
  /** A `data:` URL. */
  readonly url: string
  readonly width: number
  readonly height: number
}

const longestSide = 2048

/**
 * Reads a picture file, reduced if it is too large for a request.
 *
 * @throws {Error} when the browser cannot read the file as a picture.
 */
export async function readPicture(file: Blob): Promise<ReadPicture> {
  const canvas = await drawNoLarger(file, longestSide)
  return { url: canvas.toDataURL('image/png'), width: canvas.width, height: canvas.height }
}
