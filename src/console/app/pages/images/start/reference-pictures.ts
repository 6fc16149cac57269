import { signal } from '@preact/signals'
import { type ReadPicture, readPicture } from './read-picture.ts'

/** Pictures that the next drawing may refer to; they are too large to be kept between visits. */
export const referencePictures = signal<readonly ReadPicture[]>([])

/** Adds a picture file. @throws {Error} when it is no picture the browser can read. */
export async function addReference(file: Blob): Promise<void> {
  const read = await readPicture(file)
  referencePictures.value = [...referencePictures.value, read]
}

/** Leaves one out of the next drawing. */
export function removeReference(picture: ReadPicture): void {
  referencePictures.value = referencePictures.value.filter((each) => each !== picture)
}
