import { type JsonRecord, unusableModel } from '../onnx/model-file.ts'
import type { LatentSize } from '../unet/conditioning.ts'
import { valueAt } from '../value-at.ts'

/** Relation between a model's latents and its VAE's. */
export interface VaeConfig {
  /** Latents = (encoded − mean) · scalingFactor / deviation; without statistics (encoded − shift) · scalingFactor. */
  readonly scalingFactor: number
  /** Added to latents before they are decoded. */
  readonly shift: number
  readonly channels: number
  /** Pixels per latent in each direction. */
  readonly factor: number
  /**
   * Side of the patches of VAE latents stored in each latent's channels; 1 = no patches. Such models use the mean of the encoder's output.
   */
  readonly patchSide: number
  /** Whether it overflows in half precision, according to its author. */
  readonly overflows: boolean
  /** Mean and standard deviation per channel, or null. */
  readonly statistics: { readonly mean: readonly number[]; readonly deviation: readonly number[] } | null
}

/** Reads `vae_decoder/config.json`; absent fields default to SDXL's values. */
export function parseVaeConfig(json: JsonRecord, file: string): VaeConfig {
  const { scaling_factor: scaling = 0.13025, latent_channels: channels = 4, block_out_channels: blocks = [0, 0, 0, 0] } = json
  if (typeof scaling !== 'number' || scaling <= 0) throw unusableModel(file, 'has no positive number in "scaling_factor"')
  const { shift_factor: shift } = json
  if (typeof channels !== 'number') throw unusableModel(file, 'has no number in "latent_channels"')
  if (!Array.isArray(blocks) || blocks.length === 0) throw unusableModel(file, 'has no list in "block_out_channels"')
  const patchSide = json.patch_side === 2 ? 2 : 1
  const mean = numbers(json.latents_mean)
  const deviation = numbers(json.latents_std)
  return {
    scalingFactor: scaling,
    shift: typeof shift === 'number' ? shift : 0,
    channels: channels * patchSide ** 2,
    factor: 2 ** (blocks.length - 1) * patchSide,
    patchSide,
    overflows: json.force_upcast === true,
    statistics: mean === null || deviation === null ? null : { mean, deviation },
  }
}

function numbers(value: unknown): readonly number[] | null {
  return Array.isArray(value) && value.every((item) => typeof item === 'number') ? value : null
}

/** Latents of either kind with their size. */
export interface SizedLatents {
  readonly values: Float32Array
  readonly size: LatentSize
}

/** The model's latents as the decoder takes them. */
export function toDecoderScale(latents: Float32Array, size: LatentSize, config: VaeConfig): SizedLatents {
  const { scalingFactor, shift, statistics, channels, patchSide } = config
  const perChannel = latents.length / channels
  const scaled = latents.map((value, i) => {
    const channel = Math.floor(i / perChannel)
    return statistics === null
      ? value / scalingFactor + shift
      : (value * (statistics.deviation[channel] ?? 1)) / scalingFactor + valueAt(statistics.mean, channel)
  })
  if (patchSide === 1) return { values: scaled, size }
  const wide = { channels: channels / patchSide ** 2, height: size.height * patchSide, width: size.width * patchSide }
  const values = new Float32Array(scaled.length)
  eachPlace(wide, patchSide, (whole, patched) => {
    values[whole] = valueAt(scaled, patched)
  })
  return { values, size: wide }
}

/** Iterates over latents [channels, height, width] with their positions among patches. */
function eachPlace({ channels, height, width }: LatentSize, side: number, visit: (whole: number, patched: number) => void): void {
  let whole = 0
  for (let channel = 0; channel < channels; channel++)
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        const patch = (channel * side + (y % side)) * side + (x % side)
        visit(whole++, (patch * Math.floor(height / side) + Math.floor(y / side)) * Math.floor(width / side) + Math.floor(x / side))
      }
}

/** Encoded pixels as the model's latents. */
export function toModelScale(
  { values, size }: SizedLatents,
  { scalingFactor, shift, statistics, channels, patchSide }: VaeConfig,
): Float32Array {
  const perChannel = values.length / channels
  return patched(values, size, patchSide).map((value, i) => {
    const channel = Math.floor(i / perChannel)
    return statistics === null
      ? (value - shift) * scalingFactor
      : ((value - valueAt(statistics.mean, channel)) * scalingFactor) / (statistics.deviation[channel] ?? 1)
  })
}

function patched(values: Float32Array, size: LatentSize, side: number): Float32Array {
  if (side === 1) return values
  const patches = new Float32Array(values.length)
  eachPlace(size, side, (whole, at) => {
    patches[at] = valueAt(values, whole)
  })
  return patches
}
