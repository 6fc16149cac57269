import type { Sharp } from 'sharp'
import { ServiceError } from '../../../core/error.ts'
import type { Abortable } from '../../../core/waiting.ts'
import { maxInputPixels, readImageHeader } from './image-header.ts'
import { fromGrey, type GreyImage, type PixelSize, type RgbImage } from './rgb-image.ts'

async function open(bytes: Uint8Array, signal: AbortSignal): Promise<Sharp> {
  await readImageHeader(bytes, { signal })
  const { default: sharp } = await import('sharp')
  return sharp(bytes, { limitInputPixels: maxInputPixels, pages: 1 }).autoOrient()
}

/** @throws {ServiceError} `validation_error`, always: what a decoder's failure means to the client. */
export function undecodable(error: unknown): never {
  throw new ServiceError('validation_error', 'The image is damaged: send a complete PNG, JPEG or WebP file in base64.', { cause: error })
}

/**
 * Decodes an uploaded picture in its own size. Transparent parts become white.
 *
 * @throws {ServiceError} `validation_error` when it does not decode.
 */
export async function decodeWhole(bytes: Uint8Array, { signal }: Abortable): Promise<RgbImage> {
  return readPixels((await open(bytes, signal)).flatten({ background: '#ffffff' }))
}

/**
 * Decodes an uploaded picture and fills a size with its middle, cropped where its proportions differ. Transparent parts become white.
 *
 * @throws {ServiceError} `validation_error` when it does not decode.
 */
export async function decodePicture(bytes: Uint8Array, size: PixelSize, { signal }: Abortable): Promise<RgbImage> {
  const image = await open(bytes, signal)
  return readPixels(image.flatten({ background: '#ffffff' }).resize(size.width, size.height, { fit: 'cover', kernel: 'lanczos3' }))
}

async function readPixels(image: Sharp): Promise<RgbImage> {
  const { data, info } = await image.toColourspace('srgb').raw().toBuffer({ resolveWithObject: true }).catch(undecodable)
  const { width, height } = info
  if (info.channels === 3) return { data, width, height }
  // A grey picture has one channel.
  return fromGrey({ data: firstChannel(data, info), width, height })
}

/**
 * Decodes a mask's brightness and crops it as its picture is; transparent parts count as black.
 *
 * @throws {ServiceError} `validation_error` when it does not decode.
 */
export async function decodeMask(bytes: Uint8Array, size: PixelSize, { signal }: Abortable): Promise<GreyImage> {
  const image = await open(bytes, signal)
  const { data, info } = await image
    .flatten({ background: '#000000' })
    .resize(size.width, size.height, { fit: 'cover', kernel: 'lanczos3' })
    .greyscale()
    .toColourspace('b-w')
    .raw()
    .toBuffer({ resolveWithObject: true })
    .catch(undecodable)
  return { data: firstChannel(data, info), ...size }
}

function firstChannel(data: Uint8Array, { channels }: { readonly channels: number }): Uint8Array {
  return channels === 1 ? data : data.filter((_, i) => i % channels === 0)
}
