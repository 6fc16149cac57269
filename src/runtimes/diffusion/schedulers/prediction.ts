import { floatAt } from '../value-at.ts'
import type { Shares } from './levels/dpm-levels.ts'
import { type SigmaTrack, unscaledNoiseScale } from './levels/sigmas.ts'
import type { PredictionType, SchedulerConfig } from './scheduler-config.ts'
import type { Solver } from './solver.ts'

/** The clean latents that a prediction on latents of `alpha` signal and `sigma` noise (variance 1) stands for. */
export function cleanFromPrediction(
  type: PredictionType,
  { alpha, sigma }: Shares,
  prediction: Float32Array,
  latents: Float32Array,
): Float32Array {
  switch (type) {
    case 'epsilon':
      return linear([1 / alpha, latents], [-sigma / alpha, prediction])
    case 'v_prediction':
      return linear([alpha, latents], [-sigma, prediction])
    case 'flow_prediction':
      return linear([1, latents], [-sigma, prediction])
    case 'sample':
      return prediction
  }
}

/** The noise a prediction on latents of `alpha` signal and `sigma` noise stands for. */
export function noiseFromPrediction(
  type: PredictionType,
  { alpha, sigma }: Shares,
  prediction: Float32Array,
  latents: Float32Array,
): Float32Array {
  switch (type) {
    case 'epsilon':
      return prediction
    case 'v_prediction':
      return linear([alpha, prediction], [sigma, latents])
    case 'flow_prediction':
      return linear([1, latents], [alpha, prediction])
    case 'sample':
      return linear([1 / sigma, latents], [-alpha / sigma, prediction])
  }
}

/** {@link cleanFromPrediction} for latents that are not scaled to variance 1 (signal 1, noise `sigma`), as in the k-diffusion family. */
export function cleanFromUnscaled(type: PredictionType, sigma: number, prediction: Float32Array, latents: Float32Array): Float32Array {
  switch (type) {
    case 'epsilon':
      return linear([1, latents], [-sigma, prediction])
    case 'v_prediction':
      return linear([-sigma / Math.sqrt(sigma * sigma + 1), prediction], [1 / (sigma * sigma + 1), latents])
    case 'flow_prediction':
      return linear([1, latents], [-sigma, prediction])
    case 'sample':
      return prediction
  }
}

/** Keeps the clean latents within a range, when the model asks for it. */
export function clipped(clean: Float32Array, range: number | null): Float32Array {
  return range === null ? clean : clean.map((value) => Math.min(Math.max(value, -range), range))
}

/**
 * Common parts of solvers whose latents are not scaled to variance 1, as in the k-diffusion family.
 *
 * @param track Noise levels, and the timestep of each evaluation.
 * @param inputSigma The noise in the latents of each evaluation.
 * @param addedSigma The noise added to a starting picture; default the same.
 */
export function unscaled(
  config: SchedulerConfig,
  { sigmas, timesteps }: SigmaTrack,
  inputSigma: (index: number) => number,
  addedSigma = inputSigma,
): Omit<Solver, 'order' | 'step'> {
  return {
    timesteps,
    initialNoiseScale: unscaledNoiseScale(config, sigmas),
    scaleInput: ({ index }, latents) => linear([1 / Math.sqrt(inputSigma(index) ** 2 + 1), latents]),
    addNoise: ({ index }, clean, noise) => linear([1, clean], [addedSigma(index), noise]),
    denoised: ({ index }, prediction, latents) => cleanFromUnscaled(config.predictionType, inputSigma(index), prediction, latents),
  }
}

/**
 * Common parts of solvers that keep latents at variance 1, as in the DDIM and DPM families; the UNet takes them unscaled.
 *
 * @param levelAt Signal and noise in the latents of each evaluation, as factors.
 */
export function variancePreserving(
  { predictionType }: SchedulerConfig,
  timesteps: readonly number[],
  levelAt: (index: number) => Shares,
): Omit<Solver, 'step'> {
  return {
    timesteps,
    order: 1,
    initialNoiseScale: 1,
    scaleInput: (_state, latents) => latents,
    addNoise: ({ index }, clean, noise) => {
      const { alpha, sigma } = levelAt(index)
      return linear([alpha, clean], [sigma, noise])
    },
    denoised: ({ index }, prediction, latents) => cleanFromPrediction(predictionType, levelAt(index), prediction, latents),
  }
}

type Term = readonly [factor: number, values: Float32Array]

/** The sum of scaled arrays of one size; absent terms are written as null. Rounded to single precision once. */
export function linear(first: Term, ...rest: readonly (Term | null)[]): Float32Array {
  const sums = new Float64Array(first[1].length)
  add(sums, first)
  for (const term of rest) if (term !== null) add(sums, term)
  return new Float32Array(sums)
}

function add(sums: Float64Array, [factor, values]: Term): void {
  for (let i = 0; i < sums.length; i++) sums[i] = (sums[i] ?? 0) + factor * floatAt(values, i)
}
