import { whiteBox } from './repaint-region.ts'
import type { PixelArea } from './resize-image.ts'
import type { GreyImage, RgbImage } from './rgb-image.ts'

/** Brightness below which a mask is black and above which it is white, so that the noise of a JPEG repaints nothing. */
const black = 16
const white = 239

/**
 * A mask with clean black and white, its edge softened.
 *
 * @param blur How far the edge reaches to each side, in pixels.
 * @throws {ServiceError} `validation_error` when the mask has no white.
 */
export async function softMask(mask: GreyImage, blur: number): Promise<GreyImage> {
  whiteBox(mask)
  const { width, height } = mask
  const data = Uint8Array.from(mask.data, (value) => Math.round(Math.min(Math.max((value - black) / (white - black), 0), 1) * 255))
  if (blur === 0) return { data, width, height }
  const { default: sharp } = await import('sharp')
  const softened = sharp(data, { raw: { width, height, channels: 1 } }).blur(Math.max(blur / 2, 0.3))
  return { data: await softened.toColourspace('b-w').raw().toBuffer(), width, height }
}

/** The canvas with a patch over one of its regions, as far as the mask is white. */
export function pasteWhereWhite(
  canvas: RgbImage,
  mask: GreyImage,
  { patch, region }: { readonly patch: RgbImage; readonly region: PixelArea },
): RgbImage {
  const data = Uint8Array.from(canvas.data)
  for (let y = 0; y < region.height; y++) {
    for (let x = 0; x < region.width; x++) {
      const at = (region.top + y) * canvas.width + region.left + x
      const share = (mask.data[at] ?? 0) / 255
      if (share === 0) continue
      const from = (y * region.width + x) * 3
      for (let channel = 0; channel < 3; channel++) {
        const old = canvas.data[at * 3 + channel] ?? 0
        data[at * 3 + channel] = Math.round(old + share * ((patch.data[from + channel] ?? 0) - old))
      }
    }
  }
  return { data, width: canvas.width, height: canvas.height }
}
