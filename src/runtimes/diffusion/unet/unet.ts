import type { Tensor } from 'onnxruntime-node'
import { ServiceError } from '../../../core/error.ts'
import { unusableModel } from '../onnx/model-file.ts'
import type { OnnxSession } from '../onnx/onnx-session.ts'
import type { Conditioning, LatentSize, PlacedLatents } from './conditioning.ts'

/** Latent pixels of a picture of 768²: from there on, a batch of two takes twice the memory and is no faster on a processor. */
const maxPixelsOnProcessor = 96 * 96
/** Latent pixels of a picture of 1024²: they fill a GPU. */
const maxPixelsOnGpu = 128 * 128
/** More at once gain little and make a cancelled request wait longer. */
const maxPictures = 4

/**
 * Number of pictures whose guided and unguided predictions one evaluation makes; 0 = each prediction is one of its own. The batch
 * shows in the last digits, so the size alone decides on the processor, not the other pictures of the request.
 */
export function picturesPerBatch({ width, height }: Pick<LatentSize, 'width' | 'height'>, isOnGpu: boolean): number {
  const pixels = width * height
  if (!isOnGpu) return pixels < maxPixelsOnProcessor ? 1 : 0
  return pixels < maxPixelsOnGpu ? Math.min(Math.floor(maxPixelsOnGpu / pixels), maxPictures) : 0
}

/** The noise predictor of a Stable Diffusion model. */
export class Unet {
  /** Numbers it takes in `time_ids`: 6 for SDXL's base model, 5 for its refiner; null = it takes neither sizes nor pooled text. */
  readonly timeIdCount: number | null
  /** Widths of text it takes, or null where the file does not say. */
  readonly contextWidth: number | null
  readonly pooledWidth: number | null
  /** Width of the guidance embedding of a distilled model, or null. */
  readonly guidanceWidth: number | null
  readonly inputChannels: number | null
  /** The only batch size it takes, or null when it takes any. */
  readonly #fixedBatch: number | null
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
    this.#fixedBatch = fixed(batch)
    if (this.#fixedBatch !== null && this.#fixedBatch > 2) throw unusableModel(session.file, `takes only batches of ${this.#fixedBatch}`)
    this.inputChannels = fixed(channels)
    this.contextWidth = fixed(shapeOf('encoder_hidden_states', 3)[2])
    const takesTextEmbeds = session.inputs.has('text_embeds') || session.inputs.has('time_ids')
    this.pooledWidth = takesTextEmbeds ? fixed(shapeOf('text_embeds', 2)[1]) : null
    this.timeIdCount = takesTextEmbeds ? (fixed(shapeOf('time_ids', 2)[1]) ?? 6) : null
    if (this.timeIdCount !== null && this.timeIdCount !== 5 && this.timeIdCount !== 6)
      throw unusableModel(session.file, `takes ${this.timeIdCount} "time_ids" instead of 5 or 6`)
    this.#timestepShape = session.input('timestep').shape
    this.#batchName = batch
    if (this.#timestepShape.length > 1) throw unusableModel(session.file, 'takes "timestep" with more than one dimension')
    this.guidanceWidth = session.inputs.has('timestep_cond') ? (fixed(shapeOf('timestep_cond', 2)[1]) ?? 256) : null
    this.#session = session
    this.#output = session.output('out_sample', 'sample', [...session.outputs.keys()][0] ?? 'out_sample')
  }

  /** See {@link picturesPerBatch}; an export may take one batch size only. */
  picturesPerBatch(size: LatentSize): number {
    return this.#fixedBatch === null ? picturesPerBatch(size, this.#session.isOnGpu) : this.#fixedBatch - 1
  }

  /**
   * Makes ready what stays the same over the steps of a drawing.
   */
  condition(
    conditionings: readonly Conditioning[],
    { size, guidance, shown = null, additions = null }: ConditionOptions,
  ): UnetConditioning {
    const session = this.#session
    const [first] = conditionings
    // A model exported for guidance only takes pairs; a lone input is doubled and its twin's answer dropped.
    const filled = this.#fixedBatch === 2 && first !== undefined && conditionings.length === 1 ? [first, first] : conditionings
    const batch = filled.length
    const tokens = first?.tokens ?? 0
    const hidden = joined(filled.map((each) => each.hidden))
    const feeds: Record<string, Tensor> = {
      encoder_hidden_states: session.tensor('encoder_hidden_states', hidden, [batch, tokens, hidden.length / batch / tokens]),
    }
    if (this.timeIdCount !== null) {
      const pooled = joined(filled.map((each) => each.pooled))
      const timeIds = filled.flatMap((each) => each.timeIds)
      feeds.text_embeds = session.tensor('text_embeds', pooled, [batch, pooled.length / batch])
      feeds.time_ids = session.tensor('time_ids', timeIds, [batch, this.timeIdCount])
    }
    if (this.guidanceWidth !== null) {
      const embedding = repeated(guidanceEmbedding(guidance - 1, this.guidanceWidth), batch)
      feeds.timestep_cond = session.tensor('timestep_cond', embedding, [batch, this.guidanceWidth])
    }
    return { feeds, size, shown, additions, conditionings: filled, wanted: conditionings.length }
  }

  /**
   * Predicts the noise (or velocity) in latents under each conditioning.
   *
   * @param latents float32 [4, height, width], scaled by the scheduler: one for all conditionings, or one for each.
   * @param when Training timestep, with a fraction in some schedulers; and how much of the drawing is then done, up to 1.
   * @returns One prediction per conditioning, views into one buffer.
   * @throws {ServiceError} `inference_failed` when the session rejects the input.
   * @see Podell et al. 2023, arXiv:2307.01952
   */
  async predict(
    latents: Float32Array | readonly Float32Array[],
    [timestep, share]: readonly [timestep: number, share: number],
    { feeds, size, shown, additions, conditionings, wanted }: UnetConditioning,
  ): Promise<readonly Float32Array[]> {
    const batch = conditionings.length
    const rows = latents instanceof Float32Array ? Array.from({ length: batch }, () => latents) : latents
    const seen = joined(shown === null ? rows : rows.flatMap((row) => [row, shown]))
    const channels = seen.length / (batch * size.height * size.width)
    const sample = this.#session.tensor('sample', seen, [batch, channels, size.height, size.width])
    const time = this.#timestepTensor(timestep, batch)
    const added = await additions?.feeds({ latents: rows[0] ?? new Float32Array(0), size, timestep, conditionings, share })
    const [output] = await this.#session.run({ ...feeds, ...added, sample, timestep: time }, [this.#output])
    const count = size.channels * size.height * size.width
    if (output.values.length !== batch * count)
      throw new ServiceError('inference_failed', 'The image model predicted a wrong size; the operator must replace it.')
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

/** What a network is conditioned by besides texts. */
export interface ConditionOptions {
  readonly size: LatentSize
  /** Guidance scale for a distilled model; ignored by others. */
  readonly guidance: number
  /** Channels that go beside the latents. */
  readonly shown?: Float32Array | null
  readonly additions?: UnetAdditions | null
  /** Only transformers take them. */
  readonly references?: readonly PlacedLatents[]
}

/** Text, sizes and guidance as tensors, for a batch of one size. */
export interface UnetConditioning {
  readonly feeds: Readonly<Record<string, Tensor>>
  readonly size: LatentSize
  readonly shown: Float32Array | null
  readonly additions: UnetAdditions | null
  /** One for each of the batch. */
  readonly conditionings: readonly Conditioning[]
  /** Number of requested predictions; the batch may be larger. */
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

/** The inputs of one UNet evaluation, for additions such as ControlNets. */
export interface UnetEvaluation {
  /** float32 [channels, height, width], scaled by the scheduler; the same for each of the batch. */
  readonly latents: Float32Array
  readonly size: LatentSize
  readonly timestep: number
  /** One for each of the batch. */
  readonly conditionings: readonly Conditioning[]
  /** Share of the drawing completed after this evaluation, over 0 and up to 1. */
  readonly share: number
}

/** Inputs that a UNet takes besides those that every drawing has: LoRAs and ControlNets. */
export interface UnetAdditions {
  feeds(evaluation: UnetEvaluation): Promise<Readonly<Record<string, Tensor>>>
}
