import { OnDemand } from '../../../core/waiting.ts'
import type { DiffusionPipeline } from '../diffusion-pipeline.ts'
import type { Frame } from '../pictures/frame.ts'
import type { LatentSize } from '../unet/conditioning.ts'
import { floatAt, valueAt } from '../value-at.ts'
import { type LatentColours, measureLatentColours } from './latent-colours.ts'

/** Longest side of a preview in pixels. */
const maxSide = 256
const quality = 70

/**
 * Paints cheap previews from latents: every latent pixel becomes one pixel by a linear map. The map is measured once,
 * on the model's own decoder.
 */
export class PreviewPainter {
  readonly #colours: OnDemand<LatentColours>

  constructor(pipeline: DiffusionPipeline) {
    this.#colours = new OnDemand(() => measureLatentColours(pipeline))
  }

  /** A small JPEG of the picture that clean latents hold. */
  async paint(latents: Float32Array, size: LatentSize, { drawn, window }: Frame): Promise<Uint8Array> {
    const { base, factors } = await this.#colours.get()
    const count = size.width * size.height
    const pixels = new Uint8ClampedArray(count * 3)
    for (let i = 0; i < count; i++) {
      for (const [colour, offset] of base.entries()) {
        let value = offset
        for (const [channel, factor] of factors.entries()) value += valueAt(factor, colour) * floatAt(latents, channel * count + i)
        pixels[i * 3 + colour] = (value / 2 + 0.5) * 255
      }
    }
    const { default: sharp } = await import('sharp')
    const scale = Math.max(1, Math.min(8, Math.floor(maxSide / Math.max(size.width, size.height))))
    const share = (size.width * scale) / drawn.width
    const at = (pixel: number): number => Math.floor(pixel * share)
    const whole = await sharp(pixels, { raw: { width: size.width, height: size.height, channels: 3 } })
      .resize(size.width * scale, size.height * scale, { kernel: 'cubic' })
      .raw()
      .toBuffer()
    return sharp(whole, { raw: { width: size.width * scale, height: size.height * scale, channels: 3 } })
      .extract({
        left: at(window.left),
        top: at(window.top),
        width: Math.max(at(window.width), 1),
        height: Math.max(at(window.height), 1),
      })
      .jpeg({ quality })
      .toBuffer()
  }
}
