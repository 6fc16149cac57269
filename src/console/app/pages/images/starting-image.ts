import { signal } from '@preact/signals'

/** An image to begin from, with what of it to repaint. */
export interface StartingImage {
  /** Address of the picture on this page: a `data:` URL. */
  readonly url: string
  readonly width: number
  readonly height: number
  /** White where it is to be repainted, as a PNG `data:` URL; null = everywhere. */
  readonly mask: string | null
}

/** The image the next run begins from, if any. */
export const startingImage = signal<StartingImage | null>(null)

const longestSide = 2048

/**
 * Takes a picture file as the starting image; larger ones are made smaller, so that they fit into a request.
 *
 * @throws {Error} when it is no picture the browser can read.
 */
export async function startFrom(file: Blob): Promise<void> {
  const bitmap = await createImageBitmap(file)
  const scale = Math.min(1, longestSide / Math.max(bitmap.width, bitmap.height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.round(bitmap.width * scale)
  canvas.height = Math.round(bitmap.height * scale)
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  bitmap.close()
  startingImage.value = { url: canvas.toDataURL('image/png'), width: canvas.width, height: canvas.height, mask: null }
}
