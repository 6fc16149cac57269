import type { Sharp } from 'sharp'
import { ServiceError } from '../../core/error.ts'
import { inspectImage, maxInputPixels } from './inspect-image.ts'
import type { RgbImage } from './rgb-image.ts'

interface Size {
  readonly width: number
  readonly height: number
}

async function open(bytes: Uint8Array, { signal }: { readonly signal: AbortSignal }): Promise<Sharp> {
  await inspectImage(bytes, { signal })
  const { default: sharp } = await import('sharp')
  return sharp(bytes, { limitInputPixels: maxInputPixels, pages: 1 }).autoOrient()
}

function undecodable(error: unknown): never {
  throw new ServiceError('validation_error', 'The image is damaged: send a whole PNG, JPEG or WebP file in base64.', { cause: error })
}

/**
 * Decodes an uploaded picture and resizes it to fill a size. Transparent parts become white.
 *
 * @throws {ServiceError} `validation_error` when it does not decode.
 */
export async function decodePicture(bytes: Uint8Array, size: Size | null, options: { readonly signal: AbortSignal }): Promise<RgbImage> {
  const image = await open(bytes, options)
  const sized = size === null ? image : image.resize(size.width, size.height, { fit: 'fill', kernel: 'lanczos3' })
  const { data, info } = await sized
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true })
    .catch(undecodable)
  if (info.channels === 3) return { data, width: info.width, height: info.height }
  const rgb = new Uint8Array(info.width * info.height * 3)
  for (let i = 0; i < rgb.length; i++) rgb[i] = data[Math.floor(i / 3) * info.channels] ?? 0
  return { data: rgb, width: info.width, height: info.height }
}

/** A mask's brightness, one byte per pixel. */
export interface Brightness {
  readonly data: Uint8Array
  readonly width: number
  readonly height: number
}

/** Decodes a mask and resizes it to a size; a transparent mask counts as black where it shows nothing. */
export async function decodeMask(bytes: Uint8Array, size: Size | null, options: { readonly signal: AbortSignal }): Promise<Brightness> {
  const image = await open(bytes, options)
  const sized = size === null ? image : image.resize(size.width, size.height, { fit: 'fill', kernel: 'lanczos3' })
  const { data, info } = await sized
    .flatten({ background: '#000000' })
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true })
    .catch(undecodable)
  return { data, width: info.width, height: info.height }
}

/** A mask as the denoiser takes it: 1 where it is at least half white. */
export function toRepaintMask({ data }: Brightness): Float32Array {
  return Float32Array.from(data, (value) => (value >= 127.5 ? 1 : 0))
}
