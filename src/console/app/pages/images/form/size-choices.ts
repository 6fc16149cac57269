import { sdxlSizes } from '../../../../../core/images/image-sizes.ts'
import type { ImageModelDescriptor } from '../../../../../core/model.ts'
import { t } from '../../../language/t.ts'

export interface Size {
  readonly width: number
  readonly height: number
}

/** The size constraints of a model. */
export type Sized = Pick<ImageModelDescriptor, 'sizes' | 'native'>

const ratios: readonly (readonly [number, number])[] = [
  [1, 1],
  [4, 5],
  [3, 4],
  [2, 3],
  [9, 16],
  [5, 4],
  [4, 3],
  [3, 2],
  [16, 9],
]

/** Common aspect ratios: the offered ones and those of models. */
const namedRatios = [...ratios, [9, 21], [21, 9]] as const
/** Tolerance of an aspect ratio's name: models' own sizes are rounded. */
const nearRatio = 0.045

/** Sizes to offer for a model: its own list, or common aspect ratios at about its native number of pixels. */
export function sizeChoices({ sizes, native }: Sized): readonly Size[] {
  if (sizes.type === 'list') return sizes.sizes
  // SDXL was trained at these sizes.
  if (native.width === 1024 && native.height === 1024 && sdxlSizes.type === 'list' && sizes.max >= 1536) return sdxlSizes.sizes
  const pixels = native.width * native.height
  const fit = (length: number) => Math.min(sizes.max, Math.max(sizes.min, Math.round(length / 8) * 8))
  return ratios.map(([across, down]) => {
    const unit = Math.sqrt(pixels / (across * down))
    return { width: fit(across * unit), height: fit(down * unit) }
  })
}

/** The name of a size's aspect ratio, such as `16:9`. */
export function ratioName({ width, height }: Size): string {
  const away = ([across, down]: readonly [number, number]) => Math.abs(Math.log((width * down) / (height * across)))
  const nearest = namedRatios.reduce((best, each) => (away(each) < away(best) ? each : best))
  if (away(nearest) < nearRatio) return nearest.join(':')
  const shared = commonDivisor(width, height)
  return `${width / shared}:${height / shared}`
}

/** The message for a size that the model does not support, or null. */
export function sizeFault({ width, height }: Size, { sizes, native }: Sized): string | null {
  if (width === native.width && height === native.height) return null
  if (sizes.type === 'list')
    return sizes.sizes.some((size) => size.width === width && size.height === height) ? null : t`One of the sizes above.`
  const fits = (side: number) => side % 8 === 0 && side >= sizes.min && side <= sizes.max
  return fits(width) && fits(height) ? null : t`Multiples of 8 from ${sizes.min} to ${sizes.max}.`
}

function commonDivisor(one: number, other: number): number {
  return other === 0 ? one : commonDivisor(other, one % other)
}
