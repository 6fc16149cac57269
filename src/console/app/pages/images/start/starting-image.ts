import { signal } from '@preact/signals'
import { requestFile } from '../../../interface/request.ts'
import { t } from '../../../language/t.ts'
import { navigate } from '../../../state/router.ts'
import { showToast } from '../../../state/toasts.ts'
import { type ReadPicture, readPicture } from './read-picture.ts'

/** A starting picture and its mask. */
export interface StartingImage extends ReadPicture {
  /** White where it is repainted, as a PNG `data:` URL; null = everywhere. */
  readonly mask: string | null
  /** Whether the mask is the empty part of an extended frame. */
  readonly extended: boolean
}

/** The starting picture of the next drawing, if any. */
export const startingImage = signal<StartingImage | null>(null)

/**
 * Uses a picture file as the starting picture.
 *
 * @throws {Error} when the browser cannot read the file as a picture.
 */
export async function startFrom(file: Blob): Promise<void> {
  startingImage.value = { ...(await readPicture(file)), mask: null, extended: false }
}

/**
 * Uses an earlier drawing as the starting picture.
 *
 * @throws {RequestFailure} when it cannot be fetched.
 */
export async function startFromImage(address: string): Promise<void> {
  await startFrom(await requestFile(address))
  navigate('/console/images')
  showToast(t`The next image starts from this one.`)
}
