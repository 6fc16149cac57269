import { defaultEncodingQuality, type ImageEncoding } from '../../../core/image-generation.ts'
import { addJpegComment, addPngText, addWebpComment } from './picture-text.ts'
import type { RgbImage } from './rgb-image.ts'

export interface EncodingOptions {
  readonly encoding: ImageEncoding
  /** Quality of JPEG and WebP, 1 to 100. */
  readonly quality?: number | undefined
  /** Generation parameters, written into the file's metadata. */
  readonly parameters: string
}

/** Encodes a picture. */
export async function encodeImage(image: RgbImage, options: EncodingOptions): Promise<Uint8Array> {
  const { default: sharp } = await import('sharp')
  const { encoding, quality = defaultEncodingQuality, parameters } = options
  const { data, width, height } = image
  const raw = sharp(data, { raw: { width, height, channels: 3 } })
  switch (encoding) {
    case 'png':
      return addPngText(await raw.png({ compressionLevel: 6 }).toBuffer(), 'parameters', parameters)
    case 'jpeg':
      return addJpegComment(await raw.jpeg({ quality, chromaSubsampling: '4:4:4' }).toBuffer(), parameters)
    case 'webp':
      return addWebpComment(await raw.webp({ quality }).toBuffer(), { width, height }, parameters)
  }
}
