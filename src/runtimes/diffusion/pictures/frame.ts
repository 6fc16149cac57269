import { type PixelArea, resizeGrey, resizeRgb } from './resize-image.ts'
import type { GreyImage, PixelSize, RgbImage } from './rgb-image.ts'

/** Placement of a picture within a drawing of another size: centred, as large as fits, with its proportions. */
export interface Frame {
  readonly picture: PixelSize
  readonly drawn: PixelSize
  /** The picture's area in the drawing. */
  readonly window: PixelArea
}

/** Fits a picture's proportions into a drawing. */
export function frameOf(picture: PixelSize, drawn: PixelSize): Frame {
  const scale = Math.min(drawn.width / picture.width, drawn.height / picture.height)
  const width = Math.max(1, Math.round(picture.width * scale))
  const height = Math.max(1, Math.round(picture.height * scale))
  const window = { left: Math.floor((drawn.width - width) / 2), top: Math.floor((drawn.height - height) / 2), width, height }
  return { picture, drawn, window }
}

/** A picture as the drawing starts from it; around the window it is mirrored, so that the model sees no edge there. */
export async function intoFrame(image: RgbImage, frame: Frame): Promise<RgbImage> {
  const { data, width, height } = await resizeRgb(image, frame.window)
  return { ...frame.drawn, data: mirrored({ data, width, height }, 3, frame) }
}

/** A mask as the drawing takes it, mirrored like its picture. */
export async function maskIntoFrame(mask: GreyImage, frame: Frame): Promise<GreyImage> {
  const { data, width, height } = await resizeGrey(mask, frame.window)
  return { ...frame.drawn, data: mirrored({ data, width, height }, 1, frame) }
}

/** The picture that a drawing holds. */
export function outOfFrame(drawing: RgbImage, { picture, window }: Frame): Promise<RgbImage> {
  return resizeRgb(drawing, picture, window)
}

function mirrored(inner: GreyImage, channels: number, { drawn, window }: Frame): Uint8Array {
  if (inner.width === drawn.width && inner.height === drawn.height) return inner.data
  const data = new Uint8Array(drawn.width * drawn.height * channels)
  for (let y = 0; y < drawn.height; y++) {
    const row = reflected(y - window.top, inner.height) * inner.width
    for (let x = 0; x < drawn.width; x++) {
      const from = (row + reflected(x - window.left, inner.width)) * channels
      data.set(inner.data.subarray(from, from + channels), (y * drawn.width + x) * channels)
    }
  }
  return data
}

/** A place outside of 0 to length − 1, thrown back from the ends. */
function reflected(place: number, length: number): number {
  const period = 2 * length
  const within = ((place % period) + period) % period
  return within < length ? within : period - 1 - within
}
