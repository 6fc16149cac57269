import type { FieldFault } from '../../../core/error.ts'
import type { ImageModelDescriptor, ImageSizes } from '../../../core/model.ts'
import { fieldFault } from '../../faults/refuse-faults.ts'

/**
 * The requested size. If only one side is given, the other follows the proportions of the model's own size, provided that the model draws any
 * size.
 */
export function requestedSize(
  { width, height }: { readonly width?: number | null | undefined; readonly height?: number | null | undefined },
  { native, sizes }: Pick<ImageModelDescriptor, 'native' | 'sizes'>,
): { readonly width: number; readonly height: number } {
  if (sizes.type === 'list') return { width: width ?? native.width, height: height ?? native.height }
  const fit = (side: number) => Math.min(sizes.max, Math.max(sizes.min, Math.round(side / 8) * 8))
  return {
    width: width ?? (height == null ? native.width : fit((height * native.width) / native.height)),
    height: height ?? (width == null ? native.height : fit((width * native.height) / native.width)),
  }
}

/** The faults of a size that the model does not allow. */
export function findSizeFaults({ id, native, sizes, bounds }: ImageModelDescriptor, width: number, height: number): readonly FieldFault[] {
  const most = bounds?.maxSide
  if (most !== undefined && Math.max(width, height) > most)
    return [fieldFault('width', `× \`height\` of ${width} × ${height} is not a size of ${id}: use at most ${most} × ${most}.`, 'range')]
  const isNative = width === native.width && height === native.height
  if (isNative || allows(sizes, width, height)) return []
  return [fieldFault('width', `× \`height\` of ${width} × ${height} is not a size of ${id}: use ${describe(sizes)}.`, 'range')]
}

function allows(sizes: ImageSizes, width: number, height: number): boolean {
  if (sizes.type === 'list') return sizes.sizes.some((size) => size.width === width && size.height === height)
  return [width, height].every((side) => side % 8 === 0 && side >= sizes.min && side <= sizes.max)
}

function describe(sizes: ImageSizes): string {
  if (sizes.type === 'list') return `one of ${sizes.sizes.map(({ width, height }) => `${width} × ${height}`).join(', ')}`
  return `multiples of 8 from ${sizes.min} to ${sizes.max}`
}
