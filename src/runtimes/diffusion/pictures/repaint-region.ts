import { ServiceError } from '../../../core/error.ts'
import type { PixelArea } from './resize-image.ts'
import type { GreyImage, PixelSize } from './rgb-image.ts'

/**
 * The part of a picture that is repainted at full size: all that is not black with padding around it, widened to the
 * proportions of the drawing as far as the picture goes.
 *
 * @throws {ServiceError} `validation_error` when the mask has no white.
 */
export function repaintRegion(mask: GreyImage, padding: number, drawn: PixelSize): PixelArea {
  // Includes the faintest grey: the pasted area must not end abruptly at the edge of the box.
  const box = whiteBox(mask, 1)
  const left = Math.max(box.left - padding, 0)
  const top = Math.max(box.top - padding, 0)
  const width = Math.min(box.left + box.width + padding, mask.width) - left
  const height = Math.min(box.top + box.height + padding, mask.height) - top
  const proportion = drawn.width / drawn.height
  const across = widened({ start: left, length: width }, Math.round(height * proportion), mask.width)
  const down = widened({ start: top, length: height }, Math.round(width / proportion), mask.height)
  return { left: across.start, width: across.length, top: down.start, height: down.length }
}

/**
 * The smallest box around a mask's white.
 *
 * @param least Brightness from which a pixel counts.
 *
 * @throws {ServiceError} `validation_error` when the mask has no white.
 */
export function whiteBox({ data, width, height }: GreyImage, least = 128): PixelArea {
  let left = width
  let right = -1
  let top = height
  let bottom = -1
  for (const [i, value] of data.entries()) {
    if (value < least) continue
    const x = i % width
    const y = (i - x) / width
    left = Math.min(left, x)
    right = Math.max(right, x)
    top = Math.min(top, y)
    bottom = y
  }
  if (right < 0)
    throw new ServiceError('validation_error', 'The mask has no white: paint the area to repaint white.', { param: 'mask_image' })
  return { left, top, width: right - left + 1, height: bottom - top + 1 }
}

/** Extends a span evenly on both sides to a length, within bounds. */
function widened({ start, length }: { readonly start: number; readonly length: number }, wanted: number, whole: number) {
  if (wanted <= length) return { start, length }
  const reached = Math.min(wanted, whole)
  const moved = start - Math.floor((reached - length) / 2)
  return { start: Math.min(Math.max(moved, 0), whole - reached), length: reached }
}
