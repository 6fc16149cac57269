import type { ImageModelDescriptor } from '../../../../core/model.ts'

export interface Size {
  readonly width: number
  readonly height: number
}

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

/** Sizes to offer for a model: its own list, or the usual shapes of about its native number of pixels. */
export function sizeChoices({ sizes, native }: Pick<ImageModelDescriptor, 'sizes' | 'native'>): readonly Size[] {
  if (sizes.type === 'list') return sizes.sizes
  const pixels = native.width * native.height
  const fit = (length: number) => Math.min(sizes.max, Math.max(sizes.min, Math.round(length / 8) * 8))
  return ratios.map(([across, down]) => {
    const unit = Math.sqrt(pixels / (across * down))
    return { width: fit(across * unit), height: fit(down * unit) }
  })
}
