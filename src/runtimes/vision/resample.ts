import type { RgbImage } from '../diffusion/pictures/rgb-image.ts'

/** Ways to weigh the pixels around a place. */
export type Filter = 'bilinear' | 'bicubic' | 'lanczos'

/** Weights are whole numbers of this many bits behind the point, as in Pillow: the same picture comes out everywhere. */
const bits = 22

const filters: Readonly<Record<Filter, { readonly reach: number; readonly weigh: (distance: number) => number }>> = {
  bilinear: { reach: 1, weigh: (x) => Math.max(0, 1 - Math.abs(x)) },
  bicubic: { reach: 2, weigh: (x) => cubic(Math.abs(x)) },
  lanczos: { reach: 3, weigh: (x) => (x >= -3 && x < 3 ? sinc(x) * sinc(x / 3) : 0) },
}

/**
 * Resizes a picture to any proportions, bit-exact with Pillow. @see
 * https://github.com/python-pillow/Pillow/blob/main/src/libImaging/Resample.c
 */
export function resample(
  image: RgbImage,
  { width, height }: { readonly width: number; readonly height: number },
  filter: Filter,
): RgbImage {
  const wide = width === image.width ? image : acrossRows(image, width, filter)
  return height === image.height ? wide : acrossColumns(wide, height, filter)
}

interface Taps {
  readonly first: number
  readonly weights: Int32Array
}

function acrossRows({ data, width, height }: RgbImage, target: number, filter: Filter): RgbImage {
  const taps = tapsOf(width, target, filter)
  const resized = new Uint8ClampedArray(3 * target * height)
  for (let y = 0; y < height; y++)
    for (const [x, { first, weights }] of taps.entries())
      for (let colour = 0; colour < 3; colour++) {
        let sum = 2 ** (bits - 1)
        for (let tap = 0; tap < weights.length; tap++) sum += (data[3 * (y * width + first + tap) + colour] ?? 0) * (weights[tap] ?? 0)
        resized[3 * (y * target + x) + colour] = Math.floor(sum / 2 ** bits)
      }
  return { data: new Uint8Array(resized.buffer), width: target, height }
}

function acrossColumns({ data, width }: RgbImage, target: number, filter: Filter, height = data.length / (3 * width)): RgbImage {
  const resized = new Uint8ClampedArray(3 * width * target)
  const line = 3 * width
  for (const [y, { first, weights }] of tapsOf(height, target, filter).entries())
    for (let at = 0; at < line; at++) {
      let sum = 2 ** (bits - 1)
      for (let tap = 0; tap < weights.length; tap++) sum += (data[(first + tap) * line + at] ?? 0) * (weights[tap] ?? 0)
      resized[y * line + at] = Math.floor(sum / 2 ** bits)
    }
  return { data: new Uint8Array(resized.buffer), width, height: target }
}

/** Source pixels of each target pixel, with their weights. */
function tapsOf(size: number, target: number, filter: Filter): readonly Taps[] {
  const { reach, weigh } = filters[filter]
  const scale = size / target
  const spread = Math.max(scale, 1) // smaller pictures take every pixel into account
  return Array.from({ length: target }, (_, place): Taps => {
    const center = (place + 0.5) * scale
    const first = Math.max(0, Math.trunc(center - reach * spread + 0.5))
    const end = Math.min(size, Math.trunc(center + reach * spread + 0.5))
    const weights = Array.from({ length: end - first }, (_, tap) => weigh((first + tap - center + 0.5) * (1 / spread)))
    const whole = weights.reduce((sum, weight) => sum + weight, 0)
    return { first, weights: Int32Array.from(weights, (weight) => toFixed(whole === 0 ? weight : weight / whole)) }
  })
}

function toFixed(weight: number): number {
  return Math.trunc(weight * 2 ** bits + (weight < 0 ? -0.5 : 0.5))
}

/** @see Keys 1981, doi:10.1109/TASSP.1981.1163711, with a = −0.5 */
function cubic(x: number): number {
  if (x < 1) return (1.5 * x - 2.5) * x * x + 1
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * -0.5 : 0
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)
}
