import { unusableModel } from './model-file.ts'
import type { OnnxSession } from './onnx-session.ts'
import type { TorchGenerator } from './torch-generator.ts'
import type { PixelPlanes } from './vae-decoder.ts'

/** Turns pixels into latents, not yet multiplied by the scaling factor. */
export class VaeEncoder {
  readonly #session: OnnxSession
  readonly #input: string
  readonly #output: string
  /** Whether the model gives a mean and a variance to draw from, or a drawn sample. */
  readonly #draws: boolean

  constructor(session: OnnxSession) {
    this.#session = session
    this.#input = [...session.inputs.keys()][0] ?? 'sample'
    this.#output = session.output('latent_parameters', 'latent_sample')
    this.#draws = this.#output === 'latent_parameters'
  }

  /** Draws once from `generator` when the model leaves the drawing to us, as diffusers does. */
  async encode({ values, width, height }: PixelPlanes, generator: TorchGenerator): Promise<Float32Array> {
    const feeds = new Map([[this.#input, { values, dims: [1, 3, height, width] }]])
    const [output] = await this.#session.run(feeds, [this.#output])
    if (output === undefined) throw unusableModel(this.#session.file, 'gave no latents')
    if (!this.#draws) return output.values
    const count = output.values.length / 2
    const mean = output.values.subarray(0, count)
    const logVariance = output.values.subarray(count)
    const noise = generator.normal(count)
    return mean.map((value, i) => value + Math.exp(Math.min(Math.max(logVariance[i] ?? 0, -30), 20) / 2) * (noise[i] ?? 0))
  }
}
