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
  readonly #input: string
  readonly #output: string

  constructor(half: UpcastingSession) {
    this.#half = half
    const { session } = half
    this.#input = [...session.inputs.keys()][0] ?? 'latent_sample'
    this.#output = session.output('sample', [...session.outputs.keys()][0] ?? 'sample')
  }

  /** Whether its numbers left the range of half precision, so that it runs in single precision now. */
  get isUpcast(): boolean {
    return this.#half.isUpcast
  }

  async decode(latents: Float32Array, size: LatentSize): Promise<PixelPlanes> {
    const dims = [1, size.channels, size.height, size.width]
    const output = await this.#half.run(this.#input, latents, { dims, output: this.#output })
    const [height, width] = output.dims.slice(2)
    if (height === undefined || width === undefined || output.values.length !== 3 * height * width)
      throw new ServiceError('inference_failed', 'The image decoder returned no RGB image; the operator must replace it.')
    return { values: output.values, width, height }
  }
}
