import type { Abortable } from '../../core/waiting.ts'
import type { DiffusionPipeline } from './diffusion-pipeline.ts'
import { type DrawingOptions, drawImage, drawLatents, type ImageSettings } from './draw-image.ts'
import { resizeRgb } from './pictures/resize-image.ts'
import { type PixelSize, toPlanes, toRgb } from './pictures/rgb-image.ts'
import { prepareSolver } from './schedulers/samplers.ts'
import { beginOf, type StartingLatents, type StartingPicture } from './start-from-picture.ts'
import type { LatentSize } from './unet/conditioning.ts'
import type { Upscaler } from './upscaling/upscaler.ts'
import { decodeLatents } from './vae/latent-colours.ts'
import type { PixelPlanes } from './vae/vae-decoder.ts'
import { floatAt } from './value-at.ts'

/** Size and settings of the second pass. */
export interface SecondPass extends PixelSize {
  /** The pipeline with its assets at the second size. */
  readonly pipeline: DiffusionPipeline
  readonly steps: number
  readonly strength: number
  /** null = the latents are enlarged. */
  readonly upscaler: Pick<Upscaler, 'enlarge'> | null
}

/**
 * Draws one image in two passes. The second is image-to-image at the larger size: from the enlarged latents as they are, or from the
 * picture of the first pass as an upscaler enlarged it. It draws its noise from the same seed again.
 */
export async function drawTwice(
  pipeline: DiffusionPipeline,
  settings: ImageSettings,
  { signal, onStep, second }: DrawingOptions & { readonly second: SecondPass },
): Promise<PixelPlanes> {
  const { steps, strength, width, height } = second
  const solver = prepareSolver(settings.sampler, settings.scheduler, steps, { width, height })
  const more = solver.timesteps.length - beginOf(solver, steps, strength)
  let before = 0
  const first = await drawLatents(pipeline, settings, {
    signal,
    onStep: (progress) => {
      before = progress.total
      return onStep({ ...progress, total: before + more })
    },
  })
  const start = await enlarge(pipeline, first, second, { signal })
  return drawImage(
    second.pipeline,
    { ...settings, width, height, steps, start },
    { signal, onStep: (progress) => onStep({ ...progress, done: before + progress.done, total: before + progress.total }) },
  )
}

async function enlarge(
  pipeline: DiffusionPipeline,
  { latents, size }: { readonly latents: Float32Array; readonly size: LatentSize },
  { upscaler, strength, width, height }: SecondPass,
  { signal }: Abortable,
): Promise<StartingPicture | StartingLatents> {
  const { factor } = pipeline.vae
  if (upscaler === null) {
    const larger = { ...size, width: width / factor, height: height / factor }
    return { latents: resizeLatents(latents, size, larger), strength }
  }
  // Rounded to bytes in between, as the same would be in requests of their own.
  const small = toPlanes(toRgb(await decodeLatents(pipeline, latents, size), pipeline.vaeSource))
  const large = toRgb(await upscaler.enlarge(small, { signal }), { what: 'The upscaler', param: 'hr_upscaler' })
  const fits = large.width === width && large.height === height
  return { picture: toPlanes(fits ? large : await resizeRgb(large, { width, height })), strength, mask: null }
}

/**
 * Latents of one size as latents of another, bilinear between pixel centres, as PyTorch's `interpolate` without aligned corners.
 *
 * @param latents [channels, height, width]
 */
export function resizeLatents(latents: Float32Array, from: LatentSize, to: LatentSize): Float32Array {
  const columns = neighbours(from.width, to.width)
  const rows = neighbours(from.height, to.height)
  const resized = new Float32Array(from.channels * to.height * to.width)
  for (let channel = 0; channel < from.channels; channel++) {
    const plane = latents.subarray(channel * from.height * from.width)
    let at = channel * to.height * to.width
    for (const row of rows)
      for (const column of columns) {
        const mix = (line: number) =>
          (1 - column.share) * floatAt(plane, line * from.width + column.low) +
          column.share * floatAt(plane, line * from.width + column.high)
        resized[at++] = (1 - row.share) * mix(row.low) + row.share * mix(row.high)
      }
  }
  return resized
}

/** Between which two places each new place lies, and how near the second. */
function neighbours(from: number, to: number): readonly { readonly low: number; readonly high: number; readonly share: number }[] {
  return Array.from({ length: to }, (_, i) => {
    const place = Math.max(((i + 0.5) * from) / to - 0.5, 0)
    const low = Math.min(Math.floor(place), from - 1)
    return { low, high: Math.min(low + 1, from - 1), share: place - low }
  })
}
