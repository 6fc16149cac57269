import { Tensor } from 'onnxruntime-node'
import { ServiceError } from '../../../../core/error.ts'
import type { NumericTensor } from '../../onnx/tensor.ts'
import type { UnetAdditions, UnetEvaluation } from '../../unet/unet.ts'
import type { UsedControlnet } from '../../used-assets.ts'
import type { PixelPlanes } from '../../vae/vae-decoder.ts'
import { floatAt } from '../../value-at.ts'
import { writeControlnetGraph } from '../networks/controlnet-graph.ts'
import { readUnetShape, type UnetOptions, type UnetShape } from '../networks/unet-shape.ts'
import type { OpenNetwork } from '../open-vae.ts'
import { readControlnet } from '../parts/read-checkpoint.ts'

interface RunnableNetwork extends AsyncDisposable {
  readonly session: { run(feeds: Readonly<Record<string, Tensor>>, names: readonly string[]): Promise<readonly NumericTensor[]> }
}

/** A ControlNet in memory. */
export class Controlnet implements AsyncDisposable {
  readonly #network: RunnableNetwork
  readonly #shape: UnetShape
  readonly #label: string

  /** @param label The name of its file. */
  constructor(network: RunnableNetwork, shape: UnetShape, label: string) {
    this.#network = network
    this.#shape = shape
    this.#label = label
  }

  /**
   * Computes the additions to a UNet's skip connections and middle block.
   *
   * @param names Outputs to compute, in this order.
   * @param isFirst Whether it is the first evaluation of a pass; later numbers also depend on the drawing.
   * @throws {ServiceError} `numerical_error` when the first outputs of a pass have NaN or infinity.
   */
  async run(
    { latents, size, timestep, conditionings }: UnetEvaluation,
    {
      picture,
      scale,
      names,
      isFirst,
    }: { readonly picture: PixelPlanes; readonly scale: number; readonly names: readonly string[]; readonly isFirst: boolean },
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
    const outputs = await this.#network.session.run(feeds, names)
    if (isFirst && !outputs.every(({ values }) => values.every(Number.isFinite))) {
      const message = `The ControlNet ${this.#label} returned NaN or infinity in its first step: its file is damaged, or its numbers exceed half precision; use another file.`
      throw new ServiceError('numerical_error', message, { param: 'controlnet' })
    }
    return outputs
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
  const takesTextEmbeds = weights.has('add_embedding.linear_1.weight')
  const shape = readUnetShape(weights, takesTextEmbeds && base.added === null ? { ...options, pooledWidth: 0 } : options)
  if (shape.contextWidth !== base.contextWidth || (shape.added === null) !== (base.added === null) || shape.channels !== base.channels)
    throw new ServiceError('unsupported', `The ControlNet ${weights.label} is for another family than the model.`, { param: 'controlnet' })
  return new Controlnet(await open(weights, 'controlnet', (target) => writeControlnetGraph(weights, shape, target)), shape, weights.label)
}

/** Names of the inputs by which ControlNets speak to a UNet. */
function controlInputs(skips: number): readonly string[] {
  return [...Array.from({ length: skips }, (_, i) => `control_${i}`), 'control_mid']
}

/** The additions where no ControlNet applies: a single zero, broadcast to all pixels. */
export function silence(skips: number): Readonly<Record<string, Tensor>> {
  return Object.fromEntries(controlInputs(skips).map((name) => [name, new Tensor('float32', new Float32Array(1), [1, 1, 1, 1])]))
}

/** A ControlNet in memory and what it is shown. */
export type RunningControlnet = Omit<UsedControlnet, 'file'> & { readonly controlnet: Controlnet }

/** The sum of several ControlNets, for one pass. */
export class ControlSum implements UnetAdditions {
  /** Those that have run. */
  readonly #seen = new Set<RunningControlnet>()
  readonly #controlnets: readonly RunningControlnet[]
  readonly #skips: number

  constructor(controlnets: readonly RunningControlnet[], skips: number) {
    this.#controlnets = controlnets
    this.#skips = skips
  }

  async feeds(evaluation: UnetEvaluation): Promise<Readonly<Record<string, Tensor>>> {
    const names = controlInputs(this.#skips)
    const sums = new Map<string, { readonly values: Float32Array; readonly dims: readonly number[] }>()
    for (const running of this.#controlnets) {
      const { controlnet, picture, scale, until } = running
      if (evaluation.share > until) continue
      const said = await controlnet.run(evaluation, { picture, scale, names, isFirst: !this.#seen.has(running) })
      this.#seen.add(running)
      for (const [i, name] of names.entries()) {
        const { values, dims } = said[i] ?? { values: new Float32Array(1), dims: [1, 1, 1, 1] }
        const before = sums.get(name)
        sums.set(name, { dims, values: before === undefined ? values : values.map((value, at) => value + floatAt(before.values, at)) })
      }
    }
    if (sums.size === 0) return silence(this.#skips)
    return Object.fromEntries([...sums].map(([name, { values, dims }]) => [name, new Tensor('float32', values, dims)]))
  }
}
