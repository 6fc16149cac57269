import { ServiceError } from '../../../core/error.ts'

/** Pixels an uploaded image may have. */
export const maxInputPixels = 16 * 1024 * 1024

export interface ImageDescription {
  readonly format: 'png' | 'jpeg' | 'webp'
  readonly width: number
  readonly height: number
}

/** First bytes of the formats we read; anything else never reaches a decoder. */
const signatures: readonly { readonly format: ImageDescription['format']; readonly at: number; readonly bytes: string }[] = [
  { format: 'png', at: 0, bytes: '\x89PNG\r\n\x1a\n' },
  { format: 'jpeg', at: 0, bytes: '\xff\xd8\xff' },
  { format: 'webp', at: 8, bytes: 'WEBP' },
]

/**
 * Reads an uploaded image's header: its format and size, without decoding it.
 *
 * @throws {ServiceError} `validation_error` when it is no PNG, JPEG or WebP, or has more than 16 × 1024 × 1024 pixels.
 */
export async function readImageHeader(bytes: Uint8Array, { signal }: { readonly signal: AbortSignal }): Promise<ImageDescription> {
  const start = Buffer.from(bytes.subarray(0, 16)).toString('latin1')
  const format = signatures.find((signature) => start.startsWith(signature.bytes, signature.at))?.format
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
  if (header.format !== format) throw unreadable()
  if (width * height > maxInputPixels)
    throw new ServiceError('validation_error', `The image has ${width} × ${height} pixels: send one of at most ${maxInputPixels} pixels.`)
  return { format, width, height }
}

function unreadable(cause?: unknown): ServiceError {
  return new ServiceError('validation_error', 'The image cannot be read: send a PNG, JPEG or WebP file in base64.', { cause })
}
