/**
 * The sizes SDXL is told: original size, crop corner and target size, each height before width.
 *
 * @see Podell et al. 2023, arXiv:2307.01952, section 2.2
 */
export function baseTimeIds({ width, height }: { readonly width: number; readonly height: number }): readonly number[] {
  return [height, width, 0, 0, height, width]
}

/** What a refiner is told: original size, crop corner and how good the picture should look, 1 to 10. */
export function refinerTimeIds(
  { width, height }: { readonly width: number; readonly height: number },
  { negative }: { readonly negative: boolean },
): readonly number[] {
  return [height, width, 0, 0, negative ? 2.5 : 6]
}
