import type { ImageEncoding } from '../../core/image-generation.ts'
import type { RgbImage } from './rgb-image.ts'

/** Encodes a picture, resized first where another size is wanted. */
export async function encodeImage(
  image: RgbImage,
  { encoding, width, height }: { readonly encoding: ImageEncoding; readonly width: number; readonly height: number },
): Promise<Uint8Array> {
  const { default: sharp } = await import('sharp')
  const raw = sharp(image.data, { raw: { width: image.width, height: image.height, channels: 3 } })
  const sized = width === image.width && height === image.height ? raw : raw.resize(width, height, { fit: 'fill', kernel: 'lanczos3' })
  switch (encoding) {
    case 'png':
      return sized.png({ compressionLevel: 6 }).toBuffer()
    case 'jpeg':
      return sized.jpeg({ quality: 95, chromaSubsampling: '4:4:4' }).toBuffer()
    case 'webp':
      return sized.webp({ quality: 95 }).toBuffer()
  }
}
