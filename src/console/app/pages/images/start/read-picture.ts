/** A picture on this page. */
export interface ReadPicture {
  /** A `data:` URL. */
  readonly url: string
  readonly width: number
  readonly height: number
}

const longestSide = 2048

/**
 * Reads a picture file; a larger one is made smaller, so that it fits into a request.
 *
 * @throws {Error} when it is no picture the browser can read.
 */
export async function readPicture(file: Blob): Promise<ReadPicture> {
  const bitmap = await createImageBitmap(file)
  const scale = Math.min(1, longestSide / Math.max(bitmap.width, bitmap.height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(bitmap.width * scale))
  canvas.height = Math.max(1, Math.round(bitmap.height * scale))
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  bitmap.close()
  return { url: canvas.toDataURL('image/png'), width: canvas.width, height: canvas.height }
}
