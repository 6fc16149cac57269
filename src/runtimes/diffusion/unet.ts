import { unusableModel } from './model-file.ts'
import type { OnnxSession } from './onnx-session.ts'

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
  readonly #timestepRank: number

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
    this.#timestepRank = session.input('timestep').shape.length
    if (this.#timestepRank > 1) throw unusableModel(session.file, 'takes "timestep" with more than one dimension')
    this.guidanceWidth = session.inputs.has('timestep_cond') ? (fixed(shapeOf('timestep_cond', 2)[1]) ?? 256) : null
    this.#session = session
    this.#output = session.output('out_sample', 'sample', [...session.outputs.keys()][0] ?? 'out_sample')
  }

  /**
   * Predicts the noise (or velocity) in the same latents under each conditioning.
   *
   * @param latents float32 [4, height, width], scaled by the scheduler.
   * @param timestep Training timestep, with a fraction in some schedulers.
   * @param guidance Guidance scale a distilled model is told; ignored by others.
   * @returns One prediction per conditioning, views into one buffer.
   * @throws {ServiceError} `inference_failed` when the session rejects the input.
   * @see Podell et al. 2023, arXiv:2307.01952
   */
  async predict(
    latents: Float32Array,
    size: LatentSize,
    timestep: number,
    conditionings: readonly Conditioning[],
    guidance: number,
  ): Promise<readonly Float32Array[]> {
    const [first] = conditionings
    // A model exported for guidance only takes pairs; a lone input is doubled and its twin's answer dropped.
    const filled = this.fixedBatch === 2 && first !== undefined && conditionings.length === 1 ? [first, first] : conditionings
    const batch = filled.length
    const tokens = first?.tokens ?? 0
    const feeds = new Map([
      ['sample', { values: repeated(latents, batch), dims: [batch, size.channels, size.height, size.width] }],
      ['timestep', { values: [timestep], dims: this.#timestepRank === 0 ? [] : [1] }],
      [
        'encoder_hidden_states',
        { values: joined(filled.map(({ hidden }) => hidden)), dims: [batch, tokens, (first?.hidden.length ?? 0) / tokens] },
      ],
      ['text_embeds', { values: joined(filled.map(({ pooled }) => pooled)), dims: [batch, first?.pooled.length ?? 0] }],
      ['time_ids', { values: filled.flatMap(({ timeIds }) => timeIds), dims: [batch, this.timeIdCount] }],
    ])
    if (this.guidanceWidth !== null) {
      const embedding = guidanceEmbedding(guidance - 1, this.guidanceWidth)
      feeds.set('timestep_cond', { values: repeated(embedding, batch), dims: [batch, this.guidanceWidth] })
    }
    const [output] = await this.#session.run(feeds, [this.#output])
    const values = output?.values ?? new Float32Array(0)
    const count = values.length / batch
    return conditionings.map((_, i) => values.subarray(i * count, (i + 1) * count))
  }
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
