import { linear } from './linear.ts'
import type { PredictionType } from './scheduler-config.ts'

/** The clean latents that a prediction on latents of `alpha` signal and `sigma` noise (variance 1) stands for. */
export function cleanFromPrediction(
  type: PredictionType,
  level: { readonly alpha: number; readonly sigma: number },
  prediction: Float32Array,
  latents: Float32Array,
): Float32Array {
  const { alpha, sigma } = level
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
  level: { readonly alpha: number; readonly sigma: number },
  prediction: Float32Array,
  latents: Float32Array,
): Float32Array {
  const { alpha, sigma } = level
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

/**
 * The same as {@link cleanFromPrediction} for latents that were not shrunk to variance 1 (signal 1, noise `sigma`),
 * as the k-diffusion family keeps them.
 */
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
