import type { FieldFault } from '../../../core/error.ts'
import type { ImageModelDescriptor, ImageSizes } from '../../../core/model.ts'

/** Says why a model does not allow a size, or nothing when it does. */
export function findSizeFaults({ id, native, sizes }: ImageModelDescriptor, width: number, height: number): readonly FieldFault[] {
  const isNative = width === native.width && height === native.height
  if (isNative || allows(sizes, width, height)) return []
  return [
    {
      path: ['width'],
      message: `\`width\` × \`height\` of ${width} × ${height} is not a size of ${id}: use ${describe(sizes)}.`,
      kind: 'range',
    },
  ]
}

function allows(sizes: ImageSizes, width: number, height: number): boolean {
  if (sizes.type === 'list') return sizes.sizes.some((size) => size.width === width && size.height === height)
  return [width, height].every((side) => side % 8 === 0 && side >= sizes.min && side <= sizes.max)
}

function describe(sizes: ImageSizes): string {
  if (sizes.type === 'list') return `one of ${sizes.sizes.map(({ width, height }) => `${width} × ${height}`).join(', ')}`
  return `multiples of 8 from ${sizes.min} to ${sizes.max}`
}
