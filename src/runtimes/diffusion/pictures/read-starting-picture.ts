import type { ImageRequest } from '../../../core/image-generation.ts'
import type { StartingPicture } from '../start-from-picture.ts'
import { decodeMask, decodePicture } from './decode-image.ts'
import { fillFromEdges } from './fill-from-edges.ts'
import { type Frame, frameOf, intoFrame, maskIntoFrame, outOfFrame } from './frame.ts'
import { pasteWhereWhite, softMask } from './paste.ts'
import { repaintRegion } from './repaint-region.ts'
import { resizeGrey, resizeRgb } from './resize-image.ts'
import { type PixelSize, type RgbImage, toPlanes, toRepaintMask } from './rgb-image.ts'

/** What a request starts from, and how a drawing becomes the finished picture. */
export interface StartingPoint {
  readonly start: StartingPicture | null
  /** Where in the drawing the picture lies. */
  readonly frame: Frame
  /** The picture of the size that was asked for. */
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
  options: { readonly signal: AbortSignal },
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
