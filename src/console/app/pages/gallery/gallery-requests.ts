import type { GalleryPage, GalleryPicture, PictureKept } from '../../../contract/gallery.ts'
import { imageAddress } from '../../interface/image-address.ts'
import { request, send } from '../../interface/request.ts'
import { t } from '../../language/t.ts'
import { showToast } from '../../state/toasts.ts'

/** The gallery's two lists: outputs that are stored for a day, and kept copies. */
export type Wall = 'stored' | 'kept'

/** One page of a list, newest first. */
export function listPictures(
  wall: Wall,
  query: { readonly search: string; readonly after: string | null },
  signal: AbortSignal,
): Promise<GalleryPage> {
  const parameters = new URLSearchParams({
    ...(query.search.trim() && { search: query.search.trim() }),
    ...(query.after && { after: query.after }),
  })
  return request<GalleryPage>(`/console/api/${wall === 'kept' ? 'pictures' : 'gallery'}?${parameters}`, { signal })
}

/**
 * Keeps a copy for longer than a day, and says so.
 *
 * @throws {RequestFailure} `quota_exceeded`.
 */
export async function keepPicture({ inferenceId, index }: Pick<GalleryPicture, 'inferenceId' | 'index'>): Promise<void> {
  await request<PictureKept>(`${imageAddress(inferenceId, index)}/kept`, { method: 'PUT' })
  showToast(t`Saved until you delete it. It counts towards your account’s storage.`)
}

/** Deletes a kept copy. */
export async function removeKept(id: string): Promise<void> {
  await send(`/console/api/pictures/${id}`, { method: 'DELETE' })
}

/** Hides a picture from the gallery, or shows it again. */
export async function setHidden(picture: Pick<GalleryPicture, 'inferenceId' | 'index'>, hidden: boolean): Promise<void> {
  await send(`${imageAddress(picture.inferenceId, picture.index)}/hidden`, { method: hidden ? 'PUT' : 'DELETE' })
}
