import { signal } from '@preact/signals'
import { type ReadPicture, readPicture } from './read-picture.ts'

/** An image to begin from, with what of it to repaint. */
export interface StartingImage extends ReadPicture {
  /** White where it is to be repainted, as a PNG `data:` URL; null = everywhere. */
  readonly mask: string | null
  /** Whether the mask is empty room around the picture. */
  readonly extended: boolean
}

/** The image the next run begins from, if any. */
export const startingImage = signal<StartingImage | null>(null)

/** Takes a picture file as the starting image. @throws {Error} when it is no picture the browser can read. */
export async function startFrom(file: Blob): Promise<void> {
  startingImage.value = { ...(await readPicture(file)), mask: null, extended: false }
}
