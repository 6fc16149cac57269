import { ServiceError } from '../../../core/error.ts'
import { type PictureFormat, pictureFormat } from '../../../core/images/image-sizes.ts'

/** Pixels an uploaded image may have. */
export const maxInputPixels = 16 * 1024 * 1024

interface ReadingOptions {
  readonly signal: AbortSignal
  readonly maxPixels?: number
  readonly formats?: string
}

export interface ImageDescription {
  readonly format: PictureFormat
  readonly width: number
  readonly height: number
}

/**
 * Reads an uploaded image's header: its format and size, without decoding it.
 *
 * @param options.maxPixels Default 16 × 1024 × 1024.
 * @param options.formats What the error offers, in words.
 * @throws {ServiceError} `validation_error` if it is not a PNG, JPEG, WebP, AVIF or GIF (first picture only), or has more pixels.
 */
export async function readImageHeader(
  bytes: Uint8Array,
  { signal, maxPixels = maxInputPixels, formats = 'PNG, JPEG, WebP, AVIF or GIF' }: ReadingOptions,
): Promise<ImageDescription> {
  const format = pictureFormat(bytes)
  if (format === undefined) throw unreadable(formats)
  const { default: sharp } = await import('sharp')
  signal.throwIfAborted()
  const header = await sharp(bytes, { limitInputPixels: false, pages: 1 })
    .metadata()
    .catch((error: unknown) => {
      throw unreadable(formats, error)
    })
  // A camera may have written the picture on its side; it is looked at upright.
  const { width, height } = header.autoOrient
  if (header.format !== (format === 'avif' ? 'heif' : format)) throw unreadable(formats)
  if (width * height > maxPixels)
    throw new ServiceError('validation_error', `The image has ${width} × ${height} pixels: send one of at most ${maxPixels} pixels.`)
  return { format, width, height }
}

function unreadable(formats: string, cause?: unknown): ServiceError {
  return new ServiceError('validation_error', `The image cannot be read: send a ${formats} file in base64.`, { cause })
}
