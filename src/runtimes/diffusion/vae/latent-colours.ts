import { ServiceError } from '../../../core/error.ts'
import type { DiffusionPipeline } from '../diffusion-pipeline.ts'
import { TorchGenerator } from '../noise/torch-generator.ts'
import { notFinite } from '../pictures/rgb-image.ts'
import type { LatentSize } from '../unet/conditioning.ts'
import { valueAt } from '../value-at.ts'
import { decodeTiled, encodeTiled } from './tiled-vae.ts'
import { toDecoderScale, toModelScale } from './vae-config.ts'
import type { PixelPlanes } from './vae-decoder.ts'

/** Patches of one latent value each, and their side; a decoder's borders blur, so only the middle of a patch counts. */
const patchesEach = 8
const patchSide = 2

/** A colour, −1 to 1 each, as a linear function of a latent pixel's channels. */
export interface LatentColours {
  readonly base: readonly number[]
  /** Per channel: red, green, blue. */
  readonly factors: readonly (readonly number[])[]
}

/** Fits a linear map from latents to colours, using the model's decoder on a patchwork of random latents; costs one small decoding. */
export async function measureLatentColours({ decoder, vae }: DiffusionPipeline): Promise<LatentColours> {
  // More unknowns than patches would leave colours open.
  const patches = vae.channels < patchesEach ** 2 ? patchesEach : 2 * patchesEach
  const side = patches * patchSide
  const size = { channels: vae.channels, width: side, height: side }
  const draws = new TorchGenerator(0).normal(vae.channels * patches * patches)
  const patchOf = (i: number): number =>
    Math.floor(Math.floor((i % side ** 2) / side) / patchSide) * patches + Math.floor((i % side) / patchSide)
  const latents = Float32Array.from({ length: vae.channels * side ** 2 }, (_, i) =>
    valueAt(draws, Math.floor(i / side ** 2) * patches ** 2 + patchOf(i)),
  )
  const scaled = toDecoderScale(latents, size, vae)
  const decoded = await decoder.decode(scaled.values, scaled.size)
  const middle = (channel: number, patch: number): number => {
    const x = ((patch % patches) + 0.5) * patchSide * vae.factor
    const y = (Math.floor(patch / patches) + 0.5) * patchSide * vae.factor
    return meanAround(decoded.values.subarray(channel * decoded.width * decoded.height), decoded.width, x, y, vae.factor / 2)
  }
  const rows = Array.from({ length: patches ** 2 }, (_, patch) => [
    1,
    ...Array.from({ length: vae.channels }, (_each, channel) => valueAt(draws, channel * patches ** 2 + patch)),
  ])
  const perColour = [0, 1, 2].map((colour) =>
    leastSquares(
      rows,
      rows.map((_, patch) => middle(colour, patch)),
    ),
  )
  const column = (place: number): readonly number[] => perColour.map((weights) => valueAt(weights, place))
  return { base: column(0), factors: Array.from({ length: vae.channels }, (_, channel) => column(channel + 1)) }
}

function meanAround(plane: Float32Array, width: number, x: number, y: number, reach: number): number {
  let sum = 0
  let count = 0
  for (let row = Math.floor(y - reach); row < y + reach; row++) {
    for (const value of plane.subarray(row * width + Math.floor(x - reach), row * width + Math.ceil(x + reach))) {
      sum += value
      count++
    }
  }
  return sum / count
}

/** The weights whose sums over the rows come closest to the values, by the normal equations. */
function leastSquares(rows: readonly (readonly number[])[], values: readonly number[]): readonly number[] {
  const size = rows[0]?.length ?? 0
  const sumOver = (term: (row: readonly number[], i: number) => number): number => rows.reduce((sum, row, i) => sum + term(row, i), 0)
  const system = Array.from({ length: size }, (_, a) => [
    ...Array.from({ length: size }, (_each, b) => sumOver((row) => valueAt(row, a) * valueAt(row, b))),
    sumOver((row, i) => valueAt(row, a) * valueAt(values, i)),
  ])
  for (const [pivot, equation] of system.entries()) {
    const lead = equation[pivot] || 1
    for (const [other, target] of system.entries()) {
      if (other === pivot) continue
      const share = valueAt(target, pivot) / lead
      for (let i = pivot; i <= size; i++) target[i] = valueAt(target, i) - share * valueAt(equation, i)
    }
  }
  return system.map((equation, i) => valueAt(equation, size) / (equation[i] || 1))
}

/** Pictures with more pixels go through the VAE in tiles, so that its memory stays bounded. */
const maxWholePixels = 1024 * 1024

/** The picture that denoised latents stand for. */
export function decodeLatents({ decoder, vae }: DiffusionPipeline, latents: Float32Array, size: LatentSize): Promise<PixelPlanes> {
  const scaled = toDecoderScale(latents, size, vae)
  const pixels = size.width * size.height * vae.factor ** 2
  return pixels > maxWholePixels
    ? decodeTiled(decoder, scaled.values, scaled.size, { factor: vae.factor / vae.patchSide })
    : decoder.decode(scaled.values, scaled.size)
}

/**
 * A picture as the model's latents; draws from `generator` where the VAE leaves the drawing to us.
 *
 * @throws {ServiceError} `unsupported` when the model has no VAE encoder, `numerical_error` when it returns NaN or infinity.
 */
export async function encodePixels(
  { encoder, vae, vaeSource }: Pick<DiffusionPipeline, 'encoder' | 'vae' | 'vaeSource'>,
  picture: PixelPlanes,
  generator: TorchGenerator,
): Promise<Float32Array> {
  if (encoder === null)
    throw new ServiceError('unsupported', 'This model cannot start from an image: leave out init_image.', { param: 'init_image' })
  const factor = vae.factor / vae.patchSide
  const whole = picture.width * picture.height <= maxWholePixels
  const distribution = whole ? await encoder.encode(picture) : await encodeTiled(encoder, picture, { factor })
  const values = vae.patchSide === 1 ? encoder.draw(distribution, generator) : encoder.mean(distribution)
  if (!values.every(Number.isFinite)) throw notFinite(vaeSource, ' when it encoded an image')
  const size = { channels: vae.channels / vae.patchSide ** 2, height: picture.height / factor, width: picture.width / factor }
  return toModelScale({ values, size }, vae)
}
