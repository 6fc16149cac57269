import { ServiceError } from '../../core/error.ts'

/** Pixels an uploaded image may have. */
export const maxInputPixels = 16 * 1024 * 1024

const formats = ['png', 'jpeg', 'webp'] as const

export interface ImageDescription {
  readonly format: (typeof formats)[number]
  readonly width: number
  readonly height: number
}

/**
 * Reads an uploaded image's header: its format and size, without decoding it.
 *
 * @throws {ServiceError} `validation_error` when it is no PNG, JPEG or WebP, or has more than 16 million pixels.
 */
export async function inspectImage(bytes: Uint8Array, { signal }: { readonly signal: AbortSignal }): Promise<ImageDescription> {
  const { default: sharp } = await import('sharp')
  signal.throwIfAborted()
  const header = await sharp(bytes, { limitInputPixels: false, pages: 1 })
    .metadata()
    .catch((error: unknown) => {
      throw new ServiceError('validation_error', 'The image cannot be read: send a PNG, JPEG or WebP file in base64.', { cause: error })
    })
  const format = formats.find((name) => name === header.format)
  if (format === undefined) throw new ServiceError('validation_error', `The image is ${header.format}: send a PNG, JPEG or WebP file.`)
  const { width, height } = header
  if (width * height > maxInputPixels)
    throw new ServiceError('validation_error', `The image has ${width} × ${height} pixels: send one of at most ${maxInputPixels} pixels.`)
  return { format, width, height }
}
