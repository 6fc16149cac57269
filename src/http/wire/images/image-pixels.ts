import type { ImageRequest } from '../../../core/image-generation.ts'
import { imageFaultCodes, refuseFaults } from '../../faults/refuse-faults.ts'

/** A route's names of the number of pictures and their size. */
interface PixelFields {
  readonly count: string
  readonly size: readonly string[]
}

/**
 * Refuses a request for too many pixels, over all its pictures.
 *
 * @throws {ServiceError} `validation_error`, naming the fields.
 */
export function refusePixels(
  { width, height, seeds }: Pick<ImageRequest, 'width' | 'height' | 'seeds'>,
  maxPixels: number,
  { count, size }: PixelFields,
): void {
  const each = width * height
  if (each * seeds.length <= maxPixels) return
  const fitting = Math.floor(maxPixels / each)
  const fix = fitting === 0 ? 'ask for a smaller size' : `ask for at most ${fitting} of this size, or for smaller ones`
  const message = `${list([count, ...size])} of ${seeds.length} × ${width} × ${height} make ${each * seeds.length} pixels, over the limit of ${maxPixels} per request (image-pixels): ${fix}.`
  const fields = fitting === 0 ? size : [count, ...size]
  refuseFaults(
    fields.map((field) => ({ path: [field], message, kind: 'range' })),
    imageFaultCodes,
  )
}

function list(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(' × ')
}
