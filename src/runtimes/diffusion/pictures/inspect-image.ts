import { ServiceError } from '../../../core/error.ts'
import type { InspectedImage, InspectionOptions } from '../../../core/images/inspect-image.ts'
import { decodeMask, undecodable } from './decode-image.ts'
import { maxInputPixels, readImageHeader } from './image-header.ts'
import { whiteBox } from './repaint-region.ts'
import type { GreyImage } from './rgb-image.ts'

const noTransparency = 'The mask has no transparent parts: make the area to repaint transparent.'

/** A picture of 2048 × 2048 that was enlarged four times. */
const maxDrawnPixels = 64 * 1024 * 1024

/**
 * Decodes an uploaded image completely, to refuse damaged ones before they are queued.
 *
 * @throws {ServiceError} `validation_error` if it is not a complete PNG, JPEG or WebP, has more than 16 × 1024 × 1024 pixels, or lacks the
 * required white or transparent area.
 */
export async function inspectImage(
  bytes: Uint8Array,
  { signal, whiteAt, transparency = false, thumbnailWidth, thumbnailFormat = 'webp' }: InspectionOptions,
): Promise<InspectedImage> {
  if (thumbnailWidth !== undefined) {
    const description = await readImageHeader(bytes, { signal, maxPixels: maxDrawnPixels })
    return { ...description, thumbnail: await shrink(bytes, thumbnailWidth, thumbnailFormat) }
  }
  const description = await readImageHeader(bytes, { signal })
  const mask = transparency ? await maskOfTransparency(bytes) : null
  if (whiteAt !== undefined) requireWhite(await decodeMask(mask ?? bytes, whiteAt, { signal }), { transparency })
  else if (mask === null) await decodeWhole(bytes)
  return { ...description, ...(mask !== null && { mask }) }
}

/** The error names the client's way of marking: white, or transparent. */
function requireWhite(mask: GreyImage, { transparency }: { readonly transparency: boolean }): void {
  if (!transparency) return void whiteBox(mask)
  try {
    whiteBox(mask)
  } catch (cause) {
    throw new ServiceError('validation_error', noTransparency, { param: 'mask', cause })
  }
}

async function decodeWhole(bytes: Uint8Array): Promise<void> {
  const { default: sharp } = await import('sharp')
  // Every row counts in the few pixels that are left; a whole picture would only cost memory.
  await sharp(bytes, { limitInputPixels: maxInputPixels, pages: 1 }).resize(8, 8, { fit: 'fill' }).raw().toBuffer().catch(undecodable)
}

async function shrink(bytes: Uint8Array, width: number, format: 'webp' | 'png'): Promise<Uint8Array> {
  const { default: sharp } = await import('sharp')
  const picture = sharp(bytes, { limitInputPixels: maxDrawnPixels, pages: 1 }).autoOrient().resize({ width, withoutEnlargement: true })
  return (format === 'png' ? picture.png() : picture.webp({ quality: 80 })).toBuffer().catch(undecodable)
}

async function maskOfTransparency(bytes: Uint8Array): Promise<Uint8Array> {
  const { default: sharp } = await import('sharp')
  const picture = sharp(bytes, { limitInputPixels: maxInputPixels, pages: 1 }).autoOrient()
  if ((await picture.metadata().catch(undecodable)).hasAlpha !== true) throw new ServiceError('validation_error', noTransparency)
  return picture.extractChannel('alpha').negate().toColourspace('b-w').png().toBuffer().catch(undecodable)
}
