import type { PixelSize, RgbImage } from '../diffusion/pictures/rgb-image.ts'
import type { Scene, Tile } from './lay-out-picture.ts'
import { resample } from './resample.ts'

/** Per colour, from 0 to 1. */
export interface Normalization {
  readonly mean: readonly number[]
  readonly deviation: readonly number[]
}

/**
 * The pixels of tiles as a tower takes them: three planes, normalized.
 *
 * @param side Of each tile; null = it is the whole scene.
 */
export function* paintTiles(
  picture: RgbImage,
  tiles: readonly Tile[],
  { side, mean, deviation }: { readonly side: number | null } & Normalization,
): Generator<Float32Array, void, undefined> {
  const painted = new Map<Scene, RgbImage>()
  for (const { scene, left, top } of tiles) {
    const { data, width } = painted.get(scene) ?? paint(picture, scene)
    painted.set(scene, { data, width, height: scene.canvas.height })
    const [columns, lines] = side === null ? [scene.canvas.width, scene.canvas.height] : [side, side]
    const values = new Float32Array(3 * columns * lines)
    for (let y = 0; y < lines; y++)
      for (let x = 0; x < columns; x++)
        for (let colour = 0; colour < 3; colour++) {
          const value = Math.fround((data[3 * ((top + y) * width + left + x) + colour] ?? 0) / 255)
          values[(colour * lines + y) * columns + x] = (value - (mean[colour] ?? 0)) / (deviation[colour] ?? 1)
        }
    yield values
  }
}

function paint(picture: RgbImage, { sizes, canvas, colour, filter }: Scene): RgbImage {
  const resized = sizes.reduce<RgbImage>((image, size) => resample(image, size, filter), picture)
  if (resized.width === canvas.width && resized.height === canvas.height) return resized
  return onCanvas(resized, canvas, colour)
}

function onCanvas({ data, width, height }: RgbImage, canvas: PixelSize, colour: Scene['colour']): RgbImage {
  const painted = new Uint8Array(3 * canvas.width * canvas.height)
  for (let at = 0; at < painted.length; at++) painted[at] = colour[at % 3] ?? 0
  const [left, top] = [Math.floor((canvas.width - width) / 2), Math.floor((canvas.height - height) / 2)]
  for (let y = 0; y < height; y++) painted.set(data.subarray(3 * y * width, 3 * (y + 1) * width), 3 * ((top + y) * canvas.width + left))
  return { data: painted, ...canvas }
}
