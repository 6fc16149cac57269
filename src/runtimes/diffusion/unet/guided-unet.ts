import { ServiceError } from '../../../core/error.ts'
import { linear } from '../schedulers/linear.ts'
import type { Conditioning, LatentSize } from './conditioning.ts'
import type { Unet } from './unet.ts'
import type { UnetAdditions } from './unet-additions.ts'

/** How the two predictions of guidance are made: in one batch of two, or one after the other. */
type Way = 'batched' | 'split'

/** Timed evaluations per way before one is chosen; the fastest of each counts, so that a busy machine does not decide. */
const trials = 4

/** What a drawing is guided by. */
export interface Guidance {
  readonly size: LatentSize
  readonly positive: Conditioning
  /** null = no guidance. */
  readonly negative: Conditioning | null
  readonly guidanceScale: number
  /** How far the guided prediction is scaled back to the deviation of the text's own, 0 to 1. */
  readonly guidanceRescale: number
  /** Channels shown beside the latents, [channels, height, width]: mask and masked picture of an inpainting model; null = none. */
  readonly shown: Float32Array | null
  readonly additions: UnetAdditions | null
}

/** Predicts the guided noise of one drawing's latents at a timestep; `share` of the drawing is done when that is. */
export type Predict = (latents: Float32Array, timestep: number, share: number) => Promise<Float32Array>

/**
 * Classifier-free guidance over a UNet. Which way is faster depends on the model, the size and the processor, so the
 * first evaluations of each size are timed and the faster way is kept. Both give the same numbers.
 *
 * @see Ho and Salimans 2022, arXiv:2207.12598
 */
export class GuidedUnet {
  readonly #unet: Unet
  /** Milliseconds by latent size and way. */
  readonly #times = new Map<string, Readonly<Record<Way, readonly number[]>>>()

  constructor(unet: Unet) {
    this.#unet = unet
  }

  /** Makes a drawing's conditioning ready. */
  prepare({ size, positive, negative, guidanceScale, guidanceRescale, shown, additions }: Guidance): Predict {
    const unet = this.#unet
    const condition = (conditionings: readonly Conditioning[]) =>
      unet.condition(conditionings, { size, guidance: guidanceScale, shown, additions })
    const alone = condition([positive])
    if (negative === null) return async (latents, ...when) => only(await unet.predict(latents, when, alone))
    const without = condition([negative])
    const both = condition([negative, positive])
    const key = `${size.width}x${size.height}x${positive.tokens}`
    return async (latents, ...when) => {
      const way = this.#choose(key)
      const started = performance.now()
      const [unguided, guided] =
        way === 'batched'
          ? await unet.predict(latents, when, both)
          : [only(await unet.predict(latents, when, without)), only(await unet.predict(latents, when, alone))]
      this.#note(key, way, performance.now() - started)
      if (unguided === undefined || guided === undefined) throw missingPrediction()
      const prediction = linear([1 - guidanceScale, unguided], [guidanceScale, guided])
      if (guidanceRescale === 0) return prediction
      return linear([1 + guidanceRescale * (deviation(guided) / deviation(prediction) - 1), prediction])
    }
  }

  #choose(key: string): Way {
    if (this.#unet.fixedBatch !== null) return this.#unet.fixedBatch === 1 ? 'split' : 'batched'
    const times = this.#times.get(key) ?? { batched: [], split: [] }
    if (times.split.length < times.batched.length) return 'split'
    if (times.batched.length < trials) return 'batched'
    return Math.min(...times.batched) <= Math.min(...times.split) ? 'batched' : 'split'
  }

  #note(key: string, way: Way, milliseconds: number): void {
    const times = this.#times.get(key) ?? { batched: [], split: [] }
    if (times[way].length < trials) this.#times.set(key, { ...times, [way]: [...times[way], milliseconds] })
  }
}

/** Standard deviation. @see Lin et al. 2023, arXiv:2305.08891, section 3.4, for what it is compared for */
function deviation(values: Float32Array): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length)
}

/** The prediction of a batch of one. */
function only([prediction]: readonly Float32Array[]): Float32Array {
  if (prediction === undefined) throw missingPrediction()
  return prediction
}

function missingPrediction(): ServiceError {
  return new ServiceError('inference_failed', 'The image model gave no prediction; its operator must replace it.')
}
