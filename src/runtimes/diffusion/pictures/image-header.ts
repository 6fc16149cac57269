import { ServiceError } from '../../../core/error.ts'
import { type PictureFormat, pictureFormat } from '../../../core/images/image-sizes.ts'

/** Pixels an uploaded image may have. */
export const maxInputPixels = 16 * 1024 * 1024

export interface ImageDescription {
  readonly format: PictureFormat
  readonly width: number
  readonly height: number
}

/**
 * Reads an uploaded image's header: its format and size, without decoding it.
 *
 * @param options.mostPixels Default 16 × 1024 × 1024.
 * @throws {ServiceError} `validation_error` if it is not a PNG, JPEG, WebP, AVIF or GIF (first picture only), or has more pixels.
 */
export async function readImageHeader(
  bytes: Uint8Array,
  { signal, mostPixels = maxInputPixels }: { readonly signal: AbortSignal; readonly mostPixels?: number },
): Promise<ImageDescription> {
  const format = pictureFormat(bytes)
  if (format === undefined) throw unreadable()
  const { default: sharp } = await import('sharp')
  signal.throwIfAborted()
  const header = await sharp(bytes, { limitInputPixels: false, pages: 1 })
    .metadata()
    .catch((error: unknown) => {
      throw unreadable(error)
    })
  // A camera may have written the picture on its side; it is looked at upright.
  const { width, height } = header.autoOrient
  if (header.format !== (format === 'avif' ? 'heif' : format)) throw unreadable()
  if (width * height > mostPixels)
    throw new ServiceError('validation_error', `The image has ${width} × ${height} pixels: send one of at most ${mostPixels} pixels.`)
  return { format, width, height }
}

function unreadable(cause?: unknown): ServiceError {
  return new ServiceError('validation_error', 'The image cannot be read: send a PNG, JPEG, WebP, AVIF or GIF file in base64.', { cause })
}
