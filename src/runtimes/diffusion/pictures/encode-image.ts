import type { ImageEncoding } from '../../../core/image-generation.ts'
import { addJpegComment } from './jpeg-comment.ts'
import { addPngText } from './png-text.ts'
import type { RgbImage } from './rgb-image.ts'
import { addWebpComment } from './webp-comment.ts'

export interface EncodingOptions {
  readonly encoding: ImageEncoding
  /** How the image was made; written into the file where the format's readers look for it. */
  readonly parameters: string
}

/** Encodes a picture. */
export async function encodeImage(image: RgbImage, { encoding, parameters }: EncodingOptions): Promise<Uint8Array> {
  const { default: sharp } = await import('sharp')
  const { data, width, height } = image
  const raw = sharp(data, { raw: { width, height, channels: 3 } })
  switch (encoding) {
    case 'png':
      return addPngText(await raw.png({ compressionLevel: 6 }).toBuffer(), 'parameters', parameters)
    case 'jpeg':
      return addJpegComment(await raw.jpeg({ quality: 95, chromaSubsampling: '4:4:4' }).toBuffer(), parameters)
    case 'webp':
      return addWebpComment(await raw.webp({ quality: 95 }).toBuffer(), { width, height }, parameters)
  }
}
