import { ServiceError } from '../../../core/error.ts'
import type { PixelPlanes } from '../vae/vae-decoder.ts'

export interface PixelSize {
  readonly width: number
  readonly height: number
}

/** An image in memory: red, green, blue, 8 bits each, rows from the top. */
export interface RgbImage extends PixelSize {
  readonly data: Uint8Array
}

/** A grey image in memory, 8 bits per pixel. */
export interface GreyImage extends PixelSize {
  readonly data: Uint8Array
}

/** What made pixels or latents, at the beginning of a sentence, and the field of a request that names it. */
export interface PixelSource {
  readonly what: string
  readonly param: string
}

const ownVae: PixelSource = { what: 'The VAE of this model', param: 'model' }

/**
 * The error about NaN or infinity in the output of a file.
 *
 * @param when The end of the sentence's first part, such as ` when it encoded a picture`.
 */
export function notFinite({ what, param }: PixelSource = ownVae, when = ''): ServiceError {
  const message = `${what} returned NaN or infinity${when}: its file is damaged, or its numbers exceed half precision; use another file.`
  return new ServiceError('numerical_error', message, { param })
}

/**
 * The decoder's planes as bytes, rounded as diffusers does.
 *
 * @param from What made them, for the error; absent = the VAE of the model.
 * @throws {ServiceError} `numerical_error` when a value is NaN or infinite.
 */
export function toRgb({ values, width, height }: PixelPlanes, from?: PixelSource): RgbImage {
  const count = width * height
  // A clamped array cuts off at 0 and 255 and rounds halves to the even neighbour, as NumPy does.
  const data = new Uint8ClampedArray(count * 3)
  for (let channel = 0; channel < 3; channel++) {
    for (let i = 0; i < count; i++) {
      const value = values[channel * count + i] ?? Number.NaN
      if (!Number.isFinite(value)) throw notFinite(from)
      data[i * 3 + channel] = Math.fround(Math.fround(value / 2 + 0.5) * 255)
    }
  }
  return { data: new Uint8Array(data.buffer), width, height }
}

/** A picture whose three colours are all the brightness given, row by row. */
export function fromGrey({ data, width, height }: GreyImage): RgbImage {
  const rgb = new Uint8Array(data.length * 3)
  data.forEach((value, i) => {
    rgb.fill(value, i * 3, i * 3 + 3)
  })
  return { data: rgb, width, height }
}

/** Bytes as the encoder takes them: three planes, −1 to 1. */
export function toPlanes({ data, width, height }: RgbImage): PixelPlanes {
  const count = width * height
  const values = new Float32Array(count * 3)
  data.forEach((value, i) => {
    values[(i % 3) * count + Math.floor(i / 3)] = Math.fround((value / 255) * 2) - 1
  })
  return { values, width, height }
}

/** A mask as the denoiser takes it: 1 where it is at least half white. */
export function toRepaintMask({ data }: GreyImage): Float32Array {
  return Float32Array.from(data, (value) => (value >= 127.5 ? 1 : 0))
}
