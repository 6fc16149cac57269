import type { ImageRequest } from '../../../core/image-generation.ts'
import type { Abortable } from '../../../core/waiting.ts'
import type { StartingPicture } from '../start-from-picture.ts'
import { decodeMask, decodePicture } from './decode-image.ts'
import { type Frame, frameOf, intoFrame, maskIntoFrame, outOfFrame } from './frame.ts'
import { repaintRegion, whiteBox } from './repaint-region.ts'
import { type PixelArea, resizeGrey, resizeRgb } from './resize-image.ts'
import { type GreyImage, type PixelSize, type RgbImage, toPlanes, toRepaintMask } from './rgb-image.ts'

/** The start of a request, and the conversion of the drawing to the final picture. */
interface StartingPoint {
  readonly start: StartingPicture | null
  /** The picture's area in the drawing. */
  readonly frame: Frame
  /** Returns the picture at the requested size. */
  finish(drawing: RgbImage): Promise<RgbImage>
}

/**
 * Decodes a request's pictures and puts them into the drawing. With a mask only its white is taken from the drawing, all
 * else stays the picture that was sent; with `fullResolution` only the surroundings of the white are drawn, as large as
 * the model draws.
 *
 * @throws {ServiceError} `validation_error` for an image that does not decode or a mask without white.
 */
export async function readStartingPicture(
  { initial, mask, width, height }: ImageRequest,
  drawn: PixelSize,
  options: Abortable,
): Promise<StartingPoint> {
  const size = { width, height }
  const whole = frameOf(size, drawn)
  if (initial === null) return { start: null, frame: whole, finish: (drawing) => outOfFrame(drawing, whole) }
  const { strength } = initial
  const picture = await decodePicture(initial.image, size, options)
  if (mask === null) {
    const start = { picture: toPlanes(await intoFrame(picture, whole)), strength, mask: null }
    return { start, frame: whole, finish: (drawing) => outOfFrame(drawing, whole) }
  }
  const white = await softMask(await decodeMask(mask.image, size, options), mask.blur)
  const region = mask.fullResolution ? repaintRegion(white, mask.padding, drawn) : { left: 0, top: 0, ...size }
  const frame = frameOf(region, drawn)
  const canvas = mask.outpainting ? fillFromEdges(picture, toRepaintMask(white)) : picture
  const start = {
    picture: toPlanes(await intoFrame(await resizeRgb(canvas, region, region), frame)),
    strength,
    mask: toRepaintMask(await maskIntoFrame(await resizeGrey(white, region, region), frame)),
  }
  return { start, frame, finish: async (drawing) => pasteWhereWhite(picture, white, { patch: await outOfFrame(drawing, frame), region }) }
}

/**
 * Fills what is to be repainted with the colours nearest to it, so that outpainting starts from the picture's own
 * edges instead of an empty canvas.
 *
 * @param mask Per pixel, 1 = to be filled. A mask without any black leaves the picture as it is.
 */
function fillFromEdges(picture: RgbImage, mask: Float32Array): RgbImage {
  const { width, height } = picture
  const data = Uint8Array.from(picture.data)
  const known = Uint8Array.from(mask, (value) => (value === 1 ? 0 : 1))
  // Rings around the known pixels, each a pixel wide; every pixel is visited once.
  let border = Array.from(known.keys()).filter((i) => known[i] === 1)
  while (border.length > 0) {
    const next: number[] = []
    for (const from of border) {
      const x = from % width
      const neighbours = [x > 0 ? from - 1 : -1, x < width - 1 ? from + 1 : -1, from - width, from + width]
      for (const to of neighbours) {
        if (to < 0 || to >= width * height || known[to] === 1) continue
        known[to] = 1
        data.copyWithin(to * 3, from * 3, from * 3 + 3)
        next.push(to)
      }
    }
    border = next
  }
  return { data, width, height }
}

/** Brightness below which a mask is black and above which it is white, so that the noise of a JPEG repaints nothing. */
const black = 16
const white = 239

/**
 * A mask with clean black and white, its edge softened.
 *
 * @param blur How far the edge reaches to each side, in pixels.
 * @throws {ServiceError} `validation_error` when the mask has no white.
 */
async function softMask(mask: GreyImage, blur: number): Promise<GreyImage> {
  whiteBox(mask)
  const { width, height } = mask
  const data = Uint8Array.from(mask.data, (value) => Math.round(Math.min(Math.max((value - black) / (white - black), 0), 1) * 255))
  if (blur === 0) return { data, width, height }
  const { default: sharp } = await import('sharp')
  const softened = sharp(data, { raw: { width, height, channels: 1 } }).blur(Math.max(blur / 2, 0.3))
  return { data: await softened.toColourspace('b-w').raw().toBuffer(), width, height }
}

/** The canvas with a patch over one of its regions, as far as the mask is white. */
function pasteWhereWhite(
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
