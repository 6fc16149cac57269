/**
 * Draws a picture file on a canvas, reduced if a side is longer than the limit.
 *
 * @param longestSide In pixels.
 * @throws {Error} when the browser cannot read the file as a picture.
 */
export async function drawNoLarger(file: Blob, longestSide: number): Promise<HTMLCanvasElement> {
  const bitmap = await createImageBitmap(file)
  const scale = Math.min(1, longestSide / Math.max(bitmap.width, bitmap.height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(bitmap.width * scale))
  canvas.height = Math.max(1, Math.round(bitmap.height * scale))
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  bitmap.close()
  return canvas
}
