import { ServiceError } from '../../../core/error.ts'
import type { SkipLayerGuidance } from '../../../core/image-generation.ts'
import { linear } from '../schedulers/prediction.ts'
import type { Conditioning, LatentSize, PlacedLatents } from './conditioning.ts'
import type { Unet, UnetAdditions } from './unet.ts'

/** Guidance settings of a drawing. */
export interface Guidance {
  readonly size: LatentSize
  readonly positive: Conditioning
  /** null = no guidance. */
  readonly negative: Conditioning | null
  readonly guidanceScale: number
  /** Embedded scale; absent = the guidance scale. */
  readonly embeddedGuidance?: number
  /** Rescaling of the guided prediction to the deviation of the conditional one, 0 to 1. */
  readonly guidanceRescale: number
  /** Channels shown beside the latents, [channels, height, width]: mask and masked picture of an inpainting model; null = none. */
  readonly shown: Float32Array | null
  readonly additions: UnetAdditions | null
  /** Pictures that the network sees beside the drawing; absent = none. */
  readonly references?: readonly PlacedLatents[]
  /** Guidance away from the prediction of a network without some blocks; absent = none. */
  readonly skipping?: Omit<SkipLayerGuidance, 'layers'> & { readonly evaluations: number }
  /** Absent = guidance counts in full at every step. */
  readonly bounds?: GuidanceBounds | undefined
}

/** Bounds of Z-Image's guidance. */
export interface GuidanceBounds {
  /** Whether a guided prediction longer than the prompt's own is scaled down to its length. */
  readonly normalized: boolean
  /** Share of the noise that may be gone before guidance ends, up to 1. */
  readonly until: number
}

/** The guided prediction, and that for the prompt alone. */
interface GuidedPrediction {
  readonly prediction: Float32Array
  readonly own: Float32Array
}

/** The UNet's methods needed for guidance. */
type PredictingUnet = Pick<Unet, 'condition' | 'predict' | 'picturesPerBatch'>

/** Predicts the guided noise of one drawing's latents at a timestep; `share` of the drawing is done when that is. */
export type Predict = (latents: Float32Array, timestep: number, share: number) => Promise<Float32Array>

/**
 * Classifier-free guidance over a UNet, with both predictions in one batch or one after the other, as its size says: see {@link Unet.picturesPerBatch}.
 *
 * @see Ho and Salimans 2022, arXiv:2207.12598
 */
export class GuidedUnet {
  readonly #unet: PredictingUnet
  /** The network without some of its blocks; null = none is left out. */
  readonly #skipping: PredictingUnet | null

  constructor(unet: PredictingUnet, skipping: PredictingUnet | null = null) {
    this.#unet = unet
    this.#skipping = skipping
  }

  /** Makes a drawing's conditioning ready. */
  prepare(guidance: Guidance): Predict {
    const predict = this.#prepareGuided(guidance)
    const skipping = this.#skipping
    const { skipping: wanted, size, positive, guidanceScale, embeddedGuidance = guidanceScale, shown, additions } = guidance
    if (skipping === null || wanted === undefined) return async (...at) => (await predict(...at)).prediction
    const without = skipping.condition([positive], { size, guidance: embeddedGuidance, shown, additions })
    const { scale, start, stop, evaluations } = wanted
    return async (latents, ...when) => {
      const { prediction, own } = await predict(latents, ...when)
      const index = Math.round(when[1] * evaluations) - 1
      if (index <= evaluations * start || index >= evaluations * stop) return prediction
      return linear([1, prediction], [scale, own], [-scale, only(await skipping.predict(latents, when, without))])
    }
  }

  #prepareGuided({
    size,
    positive,
    negative,
    guidanceScale,
    embeddedGuidance = guidanceScale,
    guidanceRescale,
    shown,
    additions,
    references = [],
    bounds,
  }: Guidance): (...at: Parameters<Predict>) => Promise<GuidedPrediction> {
    const unet = this.#unet
    const condition = (conditionings: readonly Conditioning[]) =>
      unet.condition(conditionings, { size, guidance: embeddedGuidance, shown, additions, references })
    const alone = condition([positive])
    if (negative === null) {
      return async (latents, ...when) => {
        const prediction = only(await unet.predict(latents, when, alone))
        return { prediction, own: prediction }
      }
    }
    const without = condition([negative])
    const both = this.picturesPerBatch(size) === 0 ? null : condition([negative, positive])
    return async (latents, ...when) => {
      if (bounds !== undefined && 1 - when[0] / 1000 > bounds.until) {
        const own = only(await unet.predict(latents, when, alone))
        return { prediction: own, own }
      }
      const [unguided, own] =
        both !== null
          ? await unet.predict(latents, when, both)
          : [only(await unet.predict(latents, when, without)), only(await unet.predict(latents, when, alone))]
      if (own === undefined) throw missingPrediction()
      const prediction = guide(unguided, own, { guidanceScale, guidanceRescale })
      return { prediction: bounds?.normalized === true ? noLonger(prediction, own) : prediction, own }
    }
  }

  /** Makes the conditioning of several drawings with the same texts ready; their latents are predicted in one batch. */
  prepareTogether(
    { size, positive, negative, guidanceScale, embeddedGuidance = guidanceScale, guidanceRescale, shown }: Guidance,
    members: number,
  ): (latents: readonly Float32Array[], when: readonly [number, number]) => Promise<readonly Float32Array[]> {
    const unet = this.#unet
    const conditionFor = (count: number) => {
      const sides = negative === null ? [positive] : [negative, positive]
      const rows = sides.flatMap((side) => Array.from({ length: count }, () => side))
      return unet.condition(rows, { size, guidance: embeddedGuidance, shown })
    }
    let conditioning = conditionFor(members)
    let count = members
    return async (latents, when) => {
      // A failed drawing was removed; the others match the latents.
      if (latents.length !== count) {
        count = latents.length
        conditioning = conditionFor(count)
      }
      const rows = await unet.predict(negative === null ? latents : [...latents, ...latents], when, conditioning)
      if (negative === null) return rows
      return latents.map((_, i) => guide(rows[i], rows[count + i], { guidanceScale, guidanceRescale }))
    }
  }

  /** Number of drawings with the same texts that one batch should predict; 0 = each prediction alone. */
  picturesPerBatch(size: LatentSize): number {
    return this.#unet.picturesPerBatch(size)
  }
}

/** Classifier-free guidance, scaled back to the deviation of the text's own prediction as far as wanted. */
function guide(
  unguided: Float32Array | undefined,
  guided: Float32Array | undefined,
  { guidanceScale, guidanceRescale }: Pick<Guidance, 'guidanceScale' | 'guidanceRescale'>,
): Float32Array {
  if (unguided === undefined || guided === undefined) throw missingPrediction()
  const prediction = linear([1 - guidanceScale, unguided], [guidanceScale, guided])
  if (guidanceRescale === 0) return prediction
  return linear([1 + guidanceRescale * (deviation(guided) / deviation(prediction) - 1), prediction])
}

/** A prediction scaled back to the length of another where it is longer. */
function noLonger(prediction: Float32Array, other: Float32Array): Float32Array {
  const length = (values: Float32Array) => Math.sqrt(values.reduce((sum, value) => sum + value * value, 0))
  const [own, most] = [length(prediction), length(other)]
  return own > most ? linear([most / own, prediction]) : prediction
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
  return new ServiceError('inference_failed', 'The image model returned no prediction; the operator must replace it.')
}
