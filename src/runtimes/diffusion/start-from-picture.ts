import { ServiceError } from '../../core/error.ts'
import type { ImageModelDescriptor } from '../../core/model.ts'
import type { Drawing } from './denoise.ts'
import type { DiffusionPipeline } from './diffusion-pipeline.ts'
import type { TorchGenerator } from './noise/torch-generator.ts'
import type { PixelSize } from './pictures/rgb-image.ts'
import { linear } from './schedulers/prediction.ts'
import { type Solver, startAt } from './schedulers/solver.ts'
import type { LatentSize } from './unet/conditioning.ts'
import { encodePixels } from './vae/latent-colours.ts'
import type { PixelPlanes } from './vae/vae-decoder.ts'
import { floatAt } from './value-at.ts'

/** A picture to start from, and what of it to repaint. */
export interface StartingPicture {
  readonly picture: PixelPlanes
  /** Denoising strength, over 0 and up to 1. */
  readonly strength: number
  /** Per pixel, 1 = repaint; null = the whole picture. */
  readonly mask: Float32Array | null
}

/** Latents to start from, instead of a picture. */
export interface StartingLatents {
  /** Clean, in the model's scale. */
  readonly latents: Float32Array
  /** Denoising strength, over 0 and up to 1. */
  readonly strength: number
}

interface PictureStart {
  readonly solver: Solver
  readonly steps: number
  readonly generator: TorchGenerator
  readonly size: LatentSize
  readonly start: StartingPicture | StartingLatents
}

/** Start of image-to-image and inpainting: the encoded picture with the noise of the timestep given by the strength. */
export async function startFromPicture(
  pipeline: DiffusionPipeline,
  { solver, steps, generator, size, start }: PictureStart,
): Promise<Pick<Drawing, 'begin' | 'latents' | 'inpainting' | 'shown' | 'references'>> {
  const begin = beginOf(solver, steps, start.strength)
  if ('latents' in start) {
    const noise = generator.normal(start.latents.length)
    return { begin, latents: solver.addNoise(startAt(begin), start.latents, noise), inpainting: null, shown: null }
  }
  const { picture, strength, mask } = start
  if (pipeline.base.inpaints) {
    // Without a mask the whole picture is repainted.
    const whole = mask ?? new Float32Array(picture.width * picture.height).fill(1)
    const latentMask = toLatentSize(whole, picture, size)
    const begun = await startInpaintingModel(pipeline, { solver, generator, begin, picture, strength, mask: whole, latentMask })
    return { ...begun, begin, inpainting: null }
  }
  const clean = await encodePixels(pipeline, picture, generator)
  const noise = generator.normal(clean.length)
  if (mask === null) return { begin, latents: solver.addNoise(startAt(begin), clean, noise), inpainting: null, shown: null }
  const latents = strength === 1 ? linear([solver.initialNoiseScale, noise]) : solver.addNoise(startAt(begin), clean, noise)
  // diffusers also encodes the masked picture, which moves the stream of noise on even where the UNet does not take it.
  const { patchSide } = pipeline.vae
  if (pipeline.encoder?.draws === true && patchSide === 1) generator.normal(clean.length)
  const small = patchSide === 1 ? toLatentSize(mask, picture, size) : toMiddles(mask, picture, size)
  const begun = { begin, latents, inpainting: { clean, noise, mask: small }, shown: null }
  return pipeline.base.takesReferences ? { ...begun, references: [{ values: clean, size }] } : begun
}

/** The evaluation that a strength lets a solver begin at. @throws {ServiceError} `validation_error` when no step is left. */
export function beginOf(solver: Solver, steps: number, strength: number): number {
  const taken = Math.min(steps * strength, steps)
  // Flow matching counts a step that the strength ends in. The difference is cut, not the product, whose last digit may be over.
  const left = solver.countsPartialStep === true ? Math.floor(steps - taken) : steps - Math.floor(taken)
  const begin = left * solver.order
  if (begin < solver.timesteps.length) return begin
  throw new ServiceError('validation_error', `With ${steps} steps, strength must be at least ${1 / steps}.`, { param: 'strength' })
}

/** The mask's nearest value for each latent pixel. */
function toLatentSize(mask: Float32Array, { width, height }: PixelPlanes, size: LatentSize): Float32Array {
  const small = new Float32Array(size.width * size.height)
  for (let y = 0; y < size.height; y++) {
    const row = Math.floor((y * height) / size.height) * width
    for (let x = 0; x < size.width; x++) small[y * size.width + x] = floatAt(mask, row + Math.floor((x * width) / size.width))
  }
  return small
}

/** The mask between the pixels around the middle of each latent pixel, as bilinear scaling takes it. */
function toMiddles(mask: Float32Array, { width, height }: PixelPlanes, size: LatentSize): Float32Array {
  const small = new Float32Array(size.width * size.height)
  const around = (at: number, whole: number, part: number): readonly [number, number] => {
    const middle = ((at + 0.5) * whole) / part - 0.5
    return [Math.max(0, Math.floor(middle)), Math.min(whole - 1, Math.ceil(middle))]
  }
  for (let y = 0; y < size.height; y++) {
    for (let x = 0; x < size.width; x++) {
      const [columns, rows] = [around(x, width, size.width), around(y, height, size.height)]
      const sum = rows.flatMap((row) => columns.map((column) => floatAt(mask, row * width + column))).reduce((a, b) => a + b)
      small[y * size.width + x] = sum / 4
    }
  }
  return small
}

/** Size of a drawing: the native or requested one, rounded up to what the UNet can halve. The requested picture is centred in it. */
export function drawnSize(
  { base, refiner, vae }: DiffusionPipeline,
  { draws, native }: ImageModelDescriptor,
  requested: PixelSize,
): PixelSize {
  if (draws === 'native') return native
  const step = vae.factor * Math.max(base.latentStep, refiner?.latentStep ?? 1)
  return { width: Math.ceil(requested.width / step) * step, height: Math.ceil(requested.height / step) * step }
}

interface InpaintingStart {
  readonly solver: Solver
  readonly generator: TorchGenerator
  /** Evaluation the solver starts at. */
  readonly begin: number
  readonly picture: PixelPlanes
  readonly strength: number
  /** Per pixel, 1 = repaint. */
  readonly mask: Float32Array
  /** The same per latent pixel. */
  readonly latentMask: Float32Array
}

/**
 * Start of an inpainting UNet, which gets the mask and the picture without the masked area as additional channels. At full strength the
 * picture itself is not encoded, which moves the stream of noise, as in diffusers.
 */
async function startInpaintingModel(
  pipeline: DiffusionPipeline,
  { solver, generator, begin, picture, strength, mask, latentMask }: InpaintingStart,
): Promise<{ readonly latents: Float32Array; readonly shown: Float32Array }> {
  const clean = strength === 1 ? null : await encodePixels(pipeline, picture, generator)
  const noise = generator.normal(latentMask.length * pipeline.vae.channels)
  const latents = clean === null ? linear([solver.initialNoiseScale, noise]) : solver.addNoise(startAt(begin), clean, noise)
  const covered = picture.values.map((value, i) => (floatAt(mask, i % mask.length) < 0.5 ? value : 0))
  const rest = await encodePixels(pipeline, { ...picture, values: covered }, generator)
  const shown = new Float32Array(latentMask.length + rest.length)
  shown.set(latentMask.map((value) => (value < 0.5 ? 0 : 1)))
  shown.set(rest, latentMask.length)
  return { latents, shown }
}
