import { type JsonRecord, unusableModel } from '../onnx/model-file.ts'
import { valueAt } from '../value-at.ts'

/** How a model's latents relate to what its VAE works with. */
export interface VaeConfig {
  /** Latents = (encoded − mean) · scalingFactor / deviation; without statistics (encoded − shift) · scalingFactor. */
  readonly scalingFactor: number
  /** Added to latents before they are decoded. */
  readonly shift: number
  readonly channels: number
  /** Pixels per latent in each direction. */
  readonly factor: number
  /** Mean and standard deviation per channel, or null. */
  readonly statistics: { readonly mean: readonly number[]; readonly deviation: readonly number[] } | null
}

/** Reads `vae_decoder/config.json`; SDXL's own numbers stand in for what is absent. */
export function parseVaeConfig(json: JsonRecord, file: string): VaeConfig {
  const { scaling_factor: scaling = 0.13025, latent_channels: channels = 4, block_out_channels: blocks = [0, 0, 0, 0] } = json
  if (typeof scaling !== 'number' || scaling <= 0) throw unusableModel(file, 'has no positive number in "scaling_factor"')
  const { shift_factor: shift } = json
  if (typeof channels !== 'number') throw unusableModel(file, 'has no number in "latent_channels"')
  if (!Array.isArray(blocks) || blocks.length === 0) throw unusableModel(file, 'has no list in "block_out_channels"')
  const mean = numbers(json.latents_mean)
  const deviation = numbers(json.latents_std)
  return {
    scalingFactor: scaling,
    shift: typeof shift === 'number' ? shift : 0,
    channels,
    factor: 2 ** (blocks.length - 1),
    statistics: mean === null || deviation === null ? null : { mean, deviation },
  }
}

function numbers(value: unknown): readonly number[] | null {
  return Array.isArray(value) && value.every((item) => typeof item === 'number') ? value : null
}

/** The model's latents as the decoder takes them. */
export function toDecoderScale(latents: Float32Array, { scalingFactor, shift, statistics, channels }: VaeConfig): Float32Array {
  const perChannel = latents.length / channels
  return latents.map((value, i) => {
    const channel = Math.floor(i / perChannel)
    return statistics === null
      ? value / scalingFactor + shift
      : (value * (statistics.deviation[channel] ?? 1)) / scalingFactor + valueAt(statistics.mean, channel)
  })
}

/** Encoded pixels as the model's latents. */
export function toModelScale(encoded: Float32Array, { scalingFactor, shift, statistics, channels }: VaeConfig): Float32Array {
  const perChannel = encoded.length / channels
  return encoded.map((value, i) => {
    const channel = Math.floor(i / perChannel)
    return statistics === null
      ? (value - shift) * scalingFactor
      : ((value - valueAt(statistics.mean, channel)) * scalingFactor) / (statistics.deviation[channel] ?? 1)
  })
}
