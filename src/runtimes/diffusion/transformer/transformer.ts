import type { Tensor } from 'onnxruntime-node'
import { ServiceError } from '../../../core/error.ts'
import type { OnnxSession } from '../onnx/onnx-session.ts'
import type { Conditioning, PlacedLatents } from '../unet/conditioning.ts'
import type { ConditionOptions, UnetConditioning } from '../unet/unet.ts'
import { valueAt } from '../value-at.ts'
import { type PlaceOptions, positionInputs } from './token-places.ts'

/** The velocity predictor of a flow-matching model. */
export class Transformer {
  readonly #session: OnnxSession
  readonly #places: PlaceOptions

  constructor(session: OnnxSession, places: PlaceOptions) {
    this.#session = session
    this.#places = places
  }

  /** Texts of different lengths make no batch. */
  picturesPerBatch(): number {
    return 0
  }

  /** Makes ready what stays the same over the steps of a drawing, for the first of the conditionings. */
  condition(
    conditionings: readonly Conditioning[],
    { size, guidance, shown = null, additions = null, references = [] }: ConditionOptions,
  ): UnetConditioning {
    const session = this.#session
    const { hidden, tokens, pooled } = conditionings[0] ?? { hidden: new Float32Array(0), tokens: 1, pooled: new Float32Array(0) }
    const has = (name: string): boolean => session.inputs.has(name)
    const feeds = {
      encoder_hidden_states: session.tensor('encoder_hidden_states', hidden, [1, tokens, hidden.length / tokens]),
      ...(has('pooled') && { pooled: session.tensor('pooled', pooled, [1, pooled.length]) }),
      ...(has('guidance') && { guidance: session.tensor('guidance', [guidance], [1]) }),
      ...(has('references') && { references: referenceRows(session, references, size.channels) }),
      ...positionInputs(session, this.#places, { size, tokens, references: references.map((each) => each.size) }),
    }
    return { feeds, size, shown, additions, conditionings: conditionings.slice(0, 1), wanted: 1 }
  }

  /**
   * Predicts the velocity from noise to picture.
   *
   * @param latents float32 [channels, height, width]; the first where there are several.
   * @param when 1000 where there is only noise, falling to 0; and how much of the drawing is then done, up to 1.
   * @throws {ServiceError} `inference_failed` when the session rejects the input.
   */
  async predict(
    latents: Float32Array | readonly Float32Array[],
    [timestep, share]: readonly [timestep: number, share: number],
    { feeds, size, additions, conditionings }: UnetConditioning,
  ): Promise<readonly Float32Array[]> {
    const session = this.#session
    const values = latents instanceof Float32Array ? latents : (latents[0] ?? new Float32Array(0))
    const sample: Tensor = session.tensor('sample', values, [1, size.channels, size.height, size.width])
    const added = await additions?.feeds({ latents: values, size, timestep, conditionings, share })
    const own = { sample, timestep: session.tensor('timestep', [timestep], [1]) }
    const [output] = await session.run({ ...feeds, ...added, ...own }, ['out_sample'])
    if (output.values.length !== values.length)
      throw new ServiceError('inference_failed', 'The image model predicted a wrong size; the operator must replace it.')
    return [output.values]
  }
}

/** Latents of pictures as rows of their channels, one picture after the other. */
function referenceRows(session: OnnxSession, references: readonly PlacedLatents[], channels: number): Tensor {
  const count = references.reduce((sum, { size }) => sum + size.height * size.width, 0)
  const rows = new Float32Array(count * channels)
  let row = 0
  for (const { values, size } of references) {
    const pixels = size.height * size.width
    for (let i = 0; i < pixels; i++, row++)
      for (let channel = 0; channel < channels; channel++) rows[row * channels + channel] = valueAt(values, channel * pixels + i)
  }
  return session.tensor('references', rows, [count, channels])
}
