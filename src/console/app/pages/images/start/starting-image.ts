import { signal } from '@preact/signals'
import { requestFile } from '../../../interface/request.ts'
import { t } from '../../../language/t.ts'
import { navigate } from '../../../state/router.ts'
import { showToast } from '../../../state/toasts.ts'
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

/** Takes a picture that was drawn here as the start of the next one. @throws {RequestFailure} when it cannot be had. */
export async function startFromImage(address: string): Promise<void> {
  await startFrom(await requestFile(address))
  navigate('/console/images')
  showToast(t`The next picture starts from this one.`)
}
