import type { DiffusionPipeline } from './diffusion-pipeline.ts'
import type { LatentSize } from './unet.ts'
import { toDecoderScale } from './vae-config.ts'

/** Longest side of a preview in pixels. */
const maxSide = 256
const quality = 70
/** Side of the flat latents the decoder is asked about, and how far they are from zero. */
const probeSide = 8
const probeStep = 1.5

/** A colour, −1 to 1 each, as a linear function of a latent pixel's channels. */
interface LatentColours {
  readonly base: readonly number[]
  /** Per channel: red, green, blue. */
  readonly factors: readonly (readonly number[])[]
}

/**
 * Paints cheap previews from latents: every latent pixel becomes one pixel by a linear map. The map is measured once,
 * by decoding flat latents of each channel.
 */
export class PreviewPainter {
  readonly #pipeline: DiffusionPipeline
  #colours: Promise<LatentColours> | null = null

  constructor(pipeline: DiffusionPipeline) {
    this.#pipeline = pipeline
  }

  /** A small JPEG of clean latents. */
  async paint(latents: Float32Array, size: LatentSize): Promise<Uint8Array> {
    this.#colours ??= measureColours(this.#pipeline)
    const { base, factors } = await this.#colours
    const count = size.width * size.height
    const pixels = new Uint8ClampedArray(count * 3)
    for (let i = 0; i < count; i++) {
      for (let colour = 0; colour < 3; colour++) {
        let value = base[colour] ?? 0
        for (const [channel, factor] of factors.entries()) value += (factor[colour] ?? 0) * (latents[channel * count + i] ?? 0)
        pixels[i * 3 + colour] = (value / 2 + 0.5) * 255
      }
    }
    const { default: sharp } = await import('sharp')
    const scale = Math.max(1, Math.min(8, Math.floor(maxSide / Math.max(size.width, size.height))))
    return sharp(pixels, { raw: { width: size.width, height: size.height, channels: 3 } })
      .resize(size.width * scale, size.height * scale, { kernel: 'cubic' })
      .jpeg({ quality })
      .toBuffer()
  }
}

async function measureColours({ decoder, vae }: DiffusionPipeline): Promise<LatentColours> {
  const size = { channels: vae.channels, width: probeSide, height: probeSide }
  const decode = async (channel: number, value: number): Promise<readonly number[]> => {
    const flat = new Float32Array(vae.channels * probeSide ** 2)
    flat.fill(value, channel * probeSide ** 2, (channel + 1) * probeSide ** 2)
    const { values } = await decoder.decode(toDecoderScale(flat, vae), size)
    const count = values.length / 3
    return [0, 1, 2].map((colour) => values.subarray(colour * count, (colour + 1) * count).reduce((sum, each) => sum + each, 0) / count)
  }
  const factors: (readonly number[])[] = []
  for (let channel = 0; channel < vae.channels; channel++) {
    const up = await decode(channel, probeStep)
    const down = await decode(channel, -probeStep)
    factors.push(up.map((value, colour) => (value - (down[colour] ?? 0)) / (2 * probeStep)))
  }
  return { base: await decode(0, 0), factors }
}
