import type { TorchGenerator } from '../noise/torch-generator.ts'
import { unusableModel } from '../onnx/model-file.ts'
import { floatAt } from '../value-at.ts'
import type { UpcastingSession } from './upcasting-session.ts'
import type { PixelPlanes } from './vae-decoder.ts'

/** An encoder's output: mean and log variance of the latents, or a sample. */
export interface EncodedPixels {
  readonly values: Float32Array
  readonly channels: number
}

/** Turns pixels into latents, not yet multiplied by the scaling factor. */
export class VaeEncoder {
  /** Whether the model leaves the drawing of a sample to us (`latent_parameters`) or has done it (`latent_sample`). */
  readonly draws: boolean
  readonly #half: UpcastingSession
  readonly #onUpcast: () => void
  readonly #input: string
  readonly #output: string

  constructor(half: UpcastingSession, onUpcast: () => void = () => undefined) {
    this.#half = half
    this.#onUpcast = onUpcast
    const { session } = half
    this.#input = [...session.inputs.keys()][0] ?? 'sample'
    this.#output = session.output('latent_parameters', 'latent_sample')
    this.draws = this.#output === 'latent_parameters'
  }

  /** The same, which reports each input that left the range of half precision. */
  reportingUpcasts(report: () => void): VaeEncoder {
    return new VaeEncoder(this.#half, report)
  }

  async encode({ values, width, height }: PixelPlanes): Promise<EncodedPixels> {
    const output = await this.#half.run(this.#input, values, {
      dims: [1, 3, height, width],
      output: this.#output,
      onUpcast: this.#onUpcast,
    })
    const [, channels] = output.dims
    if (channels === undefined) throw unusableModel(this.#half.session.file, 'gave no latents')
    return { values: output.values, channels }
  }

  /** The encoded picture without the noise of a sample. */
  mean({ values }: EncodedPixels): Float32Array {
    return this.draws ? values.subarray(0, values.length / 2) : values
  }

  /** One sample of the encoded picture; draws once from `generator` when the drawing is left to us, as diffusers does. */
  draw({ values }: EncodedPixels, generator: TorchGenerator): Float32Array {
    if (!this.draws) return values
    const count = values.length / 2
    const mean = values.subarray(0, count)
    const logVariance = values.subarray(count)
    const noise = generator.normal(count)
    return mean.map((value, i) => value + Math.exp(Math.min(Math.max(floatAt(logVariance, i), -30), 20) / 2) * floatAt(noise, i))
  }
}
