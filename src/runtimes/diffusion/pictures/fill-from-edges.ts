import type { RgbImage } from './rgb-image.ts'

/**
 * Fills what is to be repainted with the colours nearest to it, so that outpainting starts from the picture's own
 * edges instead of an empty canvas.
 *
 * @param mask Per pixel, 1 = to be filled. A mask without any black leaves the picture as it is.
 */
export function fillFromEdges(picture: RgbImage, mask: Float32Array): RgbImage {
  const { width, height } = picture
  const data = Uint8Array.from(picture.data)
  const known = Uint8Array.from(mask, (value) => (value === 1 ? 0 : 1))
  // Rings around the known pixels, each a pixel wide; every pixel is visited once.
  let border = Array.from(known.keys()).filter((i) => known[i] === 1)
  while (border.length > 0) {
    const next: number[] = []
    for (const from of border) {
      const x = from % width
      const neighbours = [x > 0 ? from - 1 : -1, x < width - 1 ? from + 1 : -1, from - width, from + width]
      for (const to of neighbours) {
        if (to < 0 || to >= width * height || known[to] === 1) continue
        known[to] = 1
        data.copyWithin(to * 3, from * 3, from * 3 + 3)
        next.push(to)
      }
    }
    border = next
  }
  return { data, width, height }
}
