import type { GreyImage, PixelSize, RgbImage } from './rgb-image.ts'

export interface PixelArea extends PixelSize {
  readonly left: number
  readonly top: number
}

/** Cuts an area out of an image and scales it to fill a size. */
export async function resizeRgb(image: RgbImage, size: PixelSize, area?: PixelArea): Promise<RgbImage> {
  return { data: await resize(image, 3, size, area), width: size.width, height: size.height }
}

/** Cuts an area out of a grey image and scales it to fill a size. */
export async function resizeGrey(image: GreyImage, size: PixelSize, area?: PixelArea): Promise<GreyImage> {
  return { data: await resize(image, 1, size, area), width: size.width, height: size.height }
}

async function resize(image: GreyImage, channels: 1 | 3, size: PixelSize, area: PixelArea | undefined): Promise<Uint8Array> {
  const { default: sharp } = await import('sharp')
  const whole = sharp(image.data, { raw: { width: image.width, height: image.height, channels } })
  const part = area === undefined ? whole : whole.extract({ left: area.left, top: area.top, width: area.width, height: area.height })
  const scaled = part.resize(size.width, size.height, { fit: 'fill', kernel: 'lanczos3' })
  return (channels === 1 ? scaled.toColourspace('b-w') : scaled).raw().toBuffer()
}
