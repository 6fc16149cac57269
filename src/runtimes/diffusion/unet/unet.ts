import type { Tensor } from 'onnxruntime-node'
import { ServiceError } from '../../../core/error.ts'
import { unusableModel } from '../onnx/model-file.ts'
import type { OnnxSession } from '../onnx/onnx-session.ts'

/** What the UNet is told besides the latents. */
export interface Conditioning {
  /** Text, [tokens, context width]. */
  readonly hidden: Float32Array
  readonly tokens: number
  /** [pooled width] */
  readonly pooled: Float32Array
  /** Sizes and crop (or score) the picture should look like, see `time-ids.ts`. */
  readonly timeIds: readonly number[]
}

/** Latents of one image: float32 [channels, height, width]. */
export interface LatentSize {
  readonly channels: number
  readonly height: number
  readonly width: number
}

/** SDXL's noise predictor. */
export class Unet {
  /** Numbers it takes in `time_ids`: 6 for a base model, 5 for a refiner. */
  readonly timeIdCount: number
  /** Widths of text it takes, or null where the file does not say. */
  readonly contextWidth: number | null
  readonly pooledWidth: number | null
  /** Width of the guidance embedding of a distilled model, or null. */
  readonly guidanceWidth: number | null
  readonly inputChannels: number | null
  /** The only batch size it takes, or null when it takes any. */
  readonly fixedBatch: number | null
  readonly #session: OnnxSession
  readonly #output: string
  readonly #timestepShape: readonly (number | string)[]
  readonly #batchName: number | string | undefined

  constructor(session: OnnxSession) {
    const shapeOf = (name: string, rank: number): readonly (number | string)[] => {
      const { shape } = session.input(name)
      if (shape.length !== rank) throw unusableModel(session.file, `takes "${name}" with ${shape.length} dimensions instead of ${rank}`)
      return shape
    }
    const fixed = (size: number | string | undefined): number | null => (typeof size === 'number' && size > 0 ? size : null)
    const [batch, channels] = shapeOf('sample', 4)
    this.fixedBatch = fixed(batch)
    if (this.fixedBatch !== null && this.fixedBatch > 2) throw unusableModel(session.file, `takes only batches of ${this.fixedBatch}`)
    this.inputChannels = fixed(channels)
    this.contextWidth = fixed(shapeOf('encoder_hidden_states', 3)[2])
    this.pooledWidth = fixed(shapeOf('text_embeds', 2)[1])
    this.timeIdCount = fixed(shapeOf('time_ids', 2)[1]) ?? 6
    if (this.timeIdCount !== 5 && this.timeIdCount !== 6)
      throw unusableModel(session.file, `takes ${this.timeIdCount} "time_ids" instead of 5 or 6`)
    this.#timestepShape = session.input('timestep').shape
    this.#batchName = batch
    if (this.#timestepShape.length > 1) throw unusableModel(session.file, 'takes "timestep" with more than one dimension')
    this.guidanceWidth = session.inputs.has('timestep_cond') ? (fixed(shapeOf('timestep_cond', 2)[1]) ?? 256) : null
    this.#session = session
    this.#output = session.output('out_sample', 'sample', [...session.outputs.keys()][0] ?? 'out_sample')
  }

  /**
   * Makes ready what stays the same over the steps of a drawing.
   *
   * @param guidance Guidance scale a distilled model is told; ignored by others.
   */
  condition(conditionings: readonly Conditioning[], size: LatentSize, guidance: number): UnetConditioning {
    const session = this.#session
    const [first] = conditionings
    // A model exported for guidance only takes pairs; a lone input is doubled and its twin's answer dropped.
    const filled = this.fixedBatch === 2 && first !== undefined && conditionings.length === 1 ? [first, first] : conditionings
    const batch = filled.length
    const tokens = first?.tokens ?? 0
    const hidden = joined(filled.map((each) => each.hidden))
    const pooled = joined(filled.map((each) => each.pooled))
    const timeIds = filled.flatMap((each) => each.timeIds)
    const feeds: Record<string, Tensor> = {
      encoder_hidden_states: session.tensor('encoder_hidden_states', hidden, [batch, tokens, hidden.length / batch / tokens]),
      text_embeds: session.tensor('text_embeds', pooled, [batch, pooled.length / batch]),
      time_ids: session.tensor('time_ids', timeIds, [batch, this.timeIdCount]),
    }
    if (this.guidanceWidth !== null) {
      const embedding = repeated(guidanceEmbedding(guidance - 1, this.guidanceWidth), batch)
      feeds.timestep_cond = session.tensor('timestep_cond', embedding, [batch, this.guidanceWidth])
    }
    return { feeds, size, batch, wanted: conditionings.length }
  }

  /**
   * Predicts the noise (or velocity) in the same latents under each conditioning.
   *
   * @param latents float32 [4, height, width], scaled by the scheduler.
   * @param timestep Training timestep, with a fraction in some schedulers.
   * @returns One prediction per conditioning, views into one buffer.
   * @throws {ServiceError} `inference_failed` when the session rejects the input.
   * @see Podell et al. 2023, arXiv:2307.01952
   */
  async predict(
    latents: Float32Array,
    timestep: number,
    { feeds, size, batch, wanted }: UnetConditioning,
  ): Promise<readonly Float32Array[]> {
    const sample = this.#session.tensor('sample', repeated(latents, batch), [batch, size.channels, size.height, size.width])
    const time = this.#timestepTensor(timestep, batch)
    const [output] = await this.#session.run({ ...feeds, sample, timestep: time }, [this.#output])
    const count = size.channels * size.height * size.width
    if (output.values.length !== batch * count)
      throw new ServiceError('inference_failed', 'The image model predicted another size than it was given; its operator must replace it.')
    return Array.from({ length: wanted }, (_, i) => output.values.subarray(i * count, (i + 1) * count))
  }

  /** Exports differ: a scalar, one number for all, or one for each of the batch. */
  #timestepTensor(timestep: number, batch: number): Tensor {
    const [length] = this.#timestepShape
    if (length === undefined) return this.#session.tensor('timestep', [timestep], [])
    const count = typeof length === 'number' && length > 0 ? length : length === this.#batchName ? batch : 1
    return this.#session.tensor('timestep', new Array<number>(count).fill(timestep), [count])
  }
}

/** Text, sizes and guidance as tensors, for a batch of one size. */
export interface UnetConditioning {
  readonly feeds: Readonly<Record<string, Tensor>>
  readonly size: LatentSize
  readonly batch: number
  /** Predictions asked for; the batch may be larger. */
  readonly wanted: number
}

function repeated(values: Float32Array, times: number): Float32Array {
  return times === 1 ? values : joined(Array.from({ length: times }, () => values))
}

function joined(parts: readonly Float32Array[]): Float32Array {
  const [only, ...more] = parts
  if (only !== undefined && more.length === 0) return only
  const whole = new Float32Array(parts.reduce((total, part) => total + part.length, 0))
  let offset = 0
  for (const part of parts) {
    whole.set(part, offset)
    offset += part.length
  }
  return whole
}

/** Sine and cosine features of a guidance scale, as latent consistency models were trained with. @see arXiv:2310.04378 */
function guidanceEmbedding(scale: number, width: number): Float32Array {
  const half = Math.floor(width / 2)
  const embedding = new Float32Array(width)
  for (let i = 0; i < half; i++) {
    const angle = scale * 1000 * Math.exp((-Math.log(10_000) * i) / (half - 1))
    embedding[i] = Math.sin(angle)
    embedding[i + half] = Math.cos(angle)
  }
  return embedding
}
