import { decodeMask, undecodable } from './decode-image.ts'
import { type ImageDescription, maxInputPixels, readImageHeader } from './image-header.ts'
import { whiteBox } from './repaint-region.ts'
import type { PixelSize } from './rgb-image.ts'

export interface InspectionOptions {
  readonly signal: AbortSignal
  /** Asks for a mask that still has white when it is resized to this. */
  readonly whiteAt?: PixelSize
}

/**
 * Decodes an uploaded image to its last byte and keeps nothing of it, so that a damaged one is refused before it is queued.
 *
 * @throws {ServiceError} `validation_error` when it is no whole PNG, JPEG or WebP, has more than 16 × 1024 × 1024 pixels,
 *   or lacks the white that was asked for.
 */
export async function inspectImage(bytes: Uint8Array, { signal, whiteAt }: InspectionOptions): Promise<ImageDescription> {
  const description = await readImageHeader(bytes, { signal })
  if (whiteAt !== undefined) whiteBox(await decodeMask(bytes, whiteAt, { signal }))
  else await decodeWhole(bytes)
  return description
}

async function decodeWhole(bytes: Uint8Array): Promise<void> {
  const { default: sharp } = await import('sharp')
  // Every row counts in the few pixels that are left; a whole picture would only cost memory.
  await sharp(bytes, { limitInputPixels: maxInputPixels, pages: 1 }).resize(8, 8, { fit: 'fill' }).raw().toBuffer().catch(undecodable)
}
