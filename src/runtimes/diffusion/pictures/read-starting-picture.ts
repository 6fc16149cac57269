import type { ImageRequest } from '../../../core/image-generation.ts'
import type { StartingPicture } from '../start-from-picture.ts'
import { decodeMask, decodePicture } from './decode-image.ts'
import { fillFromEdges } from './fill-from-edges.ts'
import { repaintRegion } from './repaint-region.ts'
import { type PixelArea, resizeGrey, resizeRgb } from './resize-image.ts'
import { type GreyImage, type PixelSize, type RgbImage, toPlanes, toRepaintMask } from './rgb-image.ts'

/** What a request starts from, and how a drawn picture becomes the finished one. */
export interface StartingPoint {
  readonly start: StartingPicture | null
  /** Puts a drawn picture back where it was cut out. */
  finish(drawn: RgbImage): Promise<RgbImage>
}

/**
 * Decodes a request's pictures at the size of the drawing. With `fullResolution` only the surroundings of the mask are
 * drawn, as large as the model draws, and pasted back into the untouched picture.
 *
 * @throws {ServiceError} `validation_error` for an image that does not decode or a mask without white.
 */
export async function readStartingPicture(
  { initial, mask, width, height }: ImageRequest,
  drawn: PixelSize,
  options: { readonly signal: AbortSignal },
): Promise<StartingPoint> {
  const asDrawn = async (picture: RgbImage): Promise<RgbImage> => picture
  if (initial === null) return { start: null, finish: asDrawn }
  const { strength } = initial
  if (mask === null) {
    return { start: { picture: toPlanes(await decodePicture(initial.image, drawn, options)), strength, mask: null }, finish: asDrawn }
  }
  const prepare = (picture: RgbImage, grey: GreyImage): StartingPicture => {
    const repaint = toRepaintMask(grey)
    return { picture: toPlanes(mask.outpainting ? fillFromEdges(picture, repaint) : picture), strength, mask: repaint }
  }
  if (!mask.fullResolution) {
    const picture = await decodePicture(initial.image, drawn, options)
    return { start: prepare(picture, await decodeMask(mask.image, drawn, options)), finish: asDrawn }
  }
  const canvas = await decodePicture(initial.image, { width, height }, options)
  const canvasMask = await decodeMask(mask.image, { width, height }, options)
  const region = repaintRegion(canvasMask, mask.padding, drawn)
  return {
    start: prepare(await resizeRgb(canvas, drawn, region), await resizeGrey(canvasMask, drawn, region)),
    finish: async (picture) => paste(canvas, canvasMask, await resizeRgb(picture, region), region),
  }
}

/** The canvas with a patch over one region, as far as the mask is white. */
function paste(canvas: RgbImage, mask: GreyImage, patch: RgbImage, region: PixelArea): RgbImage {
  const data = Uint8Array.from(canvas.data)
  for (let y = 0; y < region.height; y++) {
    for (let x = 0; x < region.width; x++) {
      const at = (region.top + y) * canvas.width + region.left + x
      const share = (mask.data[at] ?? 0) / 255
      for (let channel = 0; channel < 3; channel++) {
        const old = canvas.data[at * 3 + channel] ?? 0
        data[at * 3 + channel] = Math.round(old + share * ((patch.data[(y * region.width + x) * 3 + channel] ?? 0) - old))
      }
    }
  }
  return { data, width: canvas.width, height: canvas.height }
}
