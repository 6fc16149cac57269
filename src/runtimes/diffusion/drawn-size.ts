import type { ImageModelDescriptor } from '../../core/model.ts'
import type { DiffusionPipeline } from './diffusion-pipeline.ts'
import type { PixelSize } from './pictures/rgb-image.ts'

/**
 * The size a request is drawn at: the model's own, or the one asked for, rounded up to what the UNet can halve. The
 * picture that was asked for lies in its middle.
 */
export function drawnSize({ base, refiner, vae }: DiffusionPipeline, { draws, native }: ImageModelDescriptor, asked: PixelSize): PixelSize {
  if (draws === 'native') return native
  const step = vae.factor * Math.max(base.latentStep, refiner?.latentStep ?? 1)
  return { width: Math.ceil(asked.width / step) * step, height: Math.ceil(asked.height / step) * step }
}
