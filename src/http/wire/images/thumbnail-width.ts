import Type, { type TSchema } from 'typebox'
import { type ThumbnailWidth, thumbnailWidths } from '../../../operations/pictures/thumbnails.ts'
import { queryFault } from '../../faults/refuse-faults.ts'

/** The allowed values of `width`. */
export const thumbnailWidthSchema: TSchema = Type.Integer({ enum: [...thumbnailWidths] })

/**
 * Reads the requested width of a picture; null = the original.
 *
 * @throws {ServiceError} `invalid_request_error`.
 */
export function readThumbnailWidth(width: unknown): ThumbnailWidth | null {
  if (width === undefined) return null
  const known = thumbnailWidths.find((each) => String(each) === width)
  if (known === undefined) throw queryFault('width', `must be ${thumbnailWidths.join(', ').replace(/, (\d+)$/, ' or $1')}.`)
  return known
}
