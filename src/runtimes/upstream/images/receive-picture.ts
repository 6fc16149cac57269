import { defaultEncodingQuality, type GeneratedImage, type ImageRequest } from '../../../core/image-generation.ts'
import { pictureFormat } from '../../../core/images/image-sizes.ts'
import { makeBrokenError } from '../upstream-error.ts'

const maxPixels = 64 * 1024 * 1024

/**
 * Checks the file that a server sent and converts it to the requested encoding.
 *
 * @throws {ServiceError} `inference_failed` if it is not a picture or has another size.
 */
export async function receivePicture(file: Uint8Array, request: ImageRequest, seed: number): Promise<GeneratedImage> {
  if (pictureFormat(file) === undefined) throw makeBrokenError('sent something other than an image')
  const { encoding, encodingQuality, width, height } = request
  const quality = encodingQuality ?? defaultEncodingQuality
  const { default: sharp } = await import('sharp')
  const picture = sharp(file, { limitInputPixels: maxPixels, pages: 1 })
  const header = await picture.metadata().catch((cause: unknown) => {
    throw makeBrokenError('sent something other than an image', cause)
  })
  if (header.width !== width || header.height !== height)
    throw makeBrokenError(`sent an image of ${header.width} × ${header.height} instead of ${width} × ${height}`)
  const options = { png: {}, jpeg: { quality, chromaSubsampling: '4:4:4' }, webp: { quality } }
  // A file in the right encoding keeps the server's metadata. It is decoded all the same, to reject damaged files.
  const encoded = picture.flatten({ background: '#ffffff' }).toFormat(encoding, options[encoding])
  const bytes = await encoded.toBuffer().catch((cause: unknown) => {
    throw makeBrokenError('sent a damaged image', cause)
  })
  return {
    bytes: header.format === encoding && (encodingQuality === undefined || encoding === 'png') ? file : bytes,
    encoding,
    width,
    height,
    seed,
    removedForSafety: false,
    safetyScore: null,
  }
}
