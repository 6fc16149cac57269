import type { ImageEncoding } from '../../../core/image-generation.ts'
import { addJpegComment } from './jpeg-comment.ts'
import { addPngText } from './png-text.ts'
import type { PixelSize, RgbImage } from './rgb-image.ts'
import { addWebpComment } from './webp-comment.ts'

export interface EncodingOptions extends PixelSize {
  readonly encoding: ImageEncoding
  /** How the image was made; written into the file where the format's readers look for it. */
  readonly parameters: string
}

/** Encodes a picture, resized first where another size is wanted. */
export async function encodeImage(image: RgbImage, { encoding, width, height, parameters }: EncodingOptions): Promise<Uint8Array> {
  const { default: sharp } = await import('sharp')
  const raw = sharp(image.data, { raw: { width: image.width, height: image.height, channels: 3 } })
  const sized = width === image.width && height === image.height ? raw : raw.resize(width, height, { fit: 'fill', kernel: 'lanczos3' })
  switch (encoding) {
    case 'png':
      return addPngText(await sized.png({ compressionLevel: 6 }).toBuffer(), 'parameters', parameters)
    case 'jpeg':
      return addJpegComment(await sized.jpeg({ quality: 95, chromaSubsampling: '4:4:4' }).toBuffer(), parameters)
    case 'webp':
      return addWebpComment(await sized.webp({ quality: 95 }).toBuffer(), { width, height }, parameters)
  }
}
