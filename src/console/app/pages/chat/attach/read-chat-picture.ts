import type { AttachedPicture } from '../../../../../core/chat/conversation.ts'
import { drawNoLarger } from '../../../interface/draw-no-larger.ts'
import { t } from '../../../language/t.ts'

/** Models that look at pictures make them about this small themselves. */
const longestSide = 1568
/** What is larger as PNG becomes a JPEG. */
const mostPngBytes = 1_000_000

/** Reads a picture that a message carries, no larger than models look at it and without what its file says besides; one that the browser cannot read is refused with a sentence. */
export async function readChatPicture(file: File): Promise<AttachedPicture | { readonly fault: string }> {
  try {
    const canvas = await drawNoLarger(file, longestSide)
    const png = file.type === 'image/jpeg' ? null : canvas.toDataURL('image/png')
    const url = png !== null && png.length < (mostPngBytes * 4) / 3 ? png : canvas.toDataURL('image/jpeg', 0.9)
    return { name: file.name || 'picture', url }
  } catch {
    return { fault: t`${file.name || t`The picture`} is no picture that this browser can read; attach a PNG, JPEG, WebP or GIF.` }
  }
}
