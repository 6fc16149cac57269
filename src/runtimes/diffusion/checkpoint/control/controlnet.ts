import { Tensor } from 'onnxruntime-node'
import { ServiceError } from '../../../../core/error.ts'
import type { NumericTensor } from '../../onnx/tensor.ts'
import type { UnetEvaluation } from '../../unet/unet-additions.ts'
import type { PixelPlanes } from '../../vae/vae-decoder.ts'
import { writeControlnetGraph } from '../networks/controlnet-graph.ts'
import { readUnetShape, type UnetOptions, type UnetShape } from '../networks/unet-shape.ts'
import type { OpenedNetwork, OpenNetwork } from '../open-network.ts'
import { readControlnet } from '../parts/read-controlnet.ts'

/** A ControlNet in memory. */
export class Controlnet implements AsyncDisposable {
  readonly #network: OpenedNetwork
  readonly #shape: UnetShape

  constructor(network: OpenedNetwork, shape: UnetShape) {
    this.#network = network
    this.#shape = shape
  }

  /**
   * Says what to add to a UNet's skips and middle.
   *
   * @param names Outputs to give, in this order.
   */
  async run(
    { latents, size, timestep, conditionings }: UnetEvaluation,
    { picture, scale, names }: { readonly picture: PixelPlanes; readonly scale: number; readonly names: readonly string[] },
  ): Promise<readonly NumericTensor[]> {
    const batch = conditionings.length
    const repeat = (values: Float32Array) => joinFloats(conditionings.map(() => values))
    const feeds: Record<string, Tensor> = {
      sample: new Tensor('float32', repeat(latents), [batch, size.channels, size.height, size.width]),
      // It was trained on colours from 0 to 1.
      picture: new Tensor('float32', repeat(picture.values.map((value) => (value + 1) / 2)), [batch, 3, picture.height, picture.width]),
      scale: new Tensor('float32', [scale], [1]),
      timestep: new Tensor('float32', [timestep], [1]),
      encoder_hidden_states: new Tensor('float32', joinFloats(conditionings.map(({ hidden }) => hidden)), [
        batch,
        conditionings[0]?.tokens ?? 0,
        this.#shape.contextWidth,
      ]),
    }
    if (this.#shape.added !== null) {
      const { pooledWidth, timeIds } = this.#shape.added
      feeds.text_embeds = new Tensor('float32', joinFloats(conditionings.map(({ pooled }) => pooled)), [batch, pooledWidth])
      feeds.time_ids = new Tensor('float32', Float32Array.from(conditionings.flatMap((each) => each.timeIds)), [batch, timeIds])
    }
    return this.#network.session.run(feeds, names)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#network[Symbol.asyncDispose]()
  }
}

function joinFloats(parts: readonly Float32Array[]): Float32Array {
  const whole = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** Opens a ControlNet for a UNet. @throws {ServiceError} `unsupported` when it is for another family. */
export async function openControlnet(
  path: string,
  { base, options, open }: { readonly base: UnetShape; readonly options: UnetOptions; readonly open: OpenNetwork },
): Promise<Controlnet> {
  const weights = await readControlnet(path)
  const isTold = weights.has('add_embedding.linear_1.weight')
  const shape = readUnetShape(weights, isTold && base.added === null ? { ...options, pooledWidth: 0 } : options)
  if (shape.contextWidth !== base.contextWidth || (shape.added === null) !== (base.added === null) || shape.channels !== base.channels)
    throw new ServiceError('unsupported', `The ControlNet ${weights.label} is for another family than the model.`, { param: 'controlnet' })
  return new Controlnet(await open(weights, 'controlnet', (target) => writeControlnetGraph(weights, shape, target)), shape)
}
