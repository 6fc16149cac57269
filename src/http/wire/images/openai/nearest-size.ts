import type { ImageModelDescriptor } from '../../../../core/model.ts'

interface Size {
  readonly width: number
  readonly height: number
}

/** The size of a model whose proportions come nearest to a picture's; of sizes that it takes any of, one of about the pixels it likes. */
export function nearestSize({ native, sizes }: Pick<ImageModelDescriptor, 'native' | 'sizes'>, picture: Size): Size {
  if (sizes.type === 'range') {
    const wanted = Math.sqrt((native.width * native.height) / (picture.width * picture.height))
    const fitting = Math.max(wanted, sizes.min / Math.min(picture.width, picture.height))
    const scale = Math.min(fitting, sizes.max / Math.max(picture.width, picture.height))
    const side = (length: number): number => Math.min(sizes.max, Math.max(sizes.min, Math.round((length * scale) / 8) * 8))
    return { width: side(picture.width), height: side(picture.height) }
  }
  const distance = ({ width, height }: Size): number => Math.abs(Math.log((width * picture.height) / (height * picture.width)))
  return [native, ...sizes.sizes].reduce((best, size) => (distance(size) < distance(best) ? size : best))
}
