import { ServiceError } from '../../../core/error.ts'
import type { LatentSize } from '../unet/conditioning.ts'
import type { UpcastingSession } from './upcasting-session.ts'

/** Pixels of one image: three planes of float32, −1 to 1, [3, height, width]. */
export interface PixelPlanes {
  readonly values: Float32Array
  readonly width: number
  readonly height: number
}

/** Turns latents, already divided by the scaling factor, into pixels. */
export class VaeDecoder {
  readonly #half: UpcastingSession
  readonly #onUpcast: () => void
  readonly #input: string
  readonly #output: string

  constructor(half: UpcastingSession, onUpcast: () => void = () => undefined) {
    this.#half = half
    this.#onUpcast = onUpcast
    const { session } = half
    this.#input = [...session.inputs.keys()][0] ?? 'latent_sample'
    this.#output = session.output('sample', [...session.outputs.keys()][0] ?? 'sample')
  }

  /** The same, which reports each input that left the range of half precision. */
  reportingUpcasts(report: () => void): VaeDecoder {
    return new VaeDecoder(this.#half, report)
  }

  async decode(latents: Float32Array, size: LatentSize): Promise<PixelPlanes> {
    const dims = [1, size.channels, size.height, size.width]
    const output = await this.#half.run(this.#input, latents, { dims, output: this.#output, onUpcast: this.#onUpcast })
    const [height, width] = output.dims.slice(2)
    if (height === undefined || width === undefined || output.values.length !== 3 * height * width)
      throw new ServiceError('inference_failed', 'The image decoder returned no RGB image; the operator must replace it.')
    return { values: output.values, width, height }
  }
}
