import { valueAt } from '../../value-at.ts'
import type { NoiseSchedule } from './noise-schedule.ts'

/** `numpy.interp(time, [0, 1, …], values)`. */
export function interpolate(values: Float32Array, time: number): number {
  const last = values.length - 1
  if (time <= 0) return valueAt(values, 0)
  if (time >= last) return valueAt(values, last)
  const low = Math.floor(time)
  const from = valueAt(values, low)
  return (valueAt(values, low + 1) - from) * (time - low) + from
}

/**
 * Noise levels whose seventh roots are evenly spaced, falling from the largest to the smallest of the levels given.
 *
 * @see Karras et al. 2022, arXiv:2206.00364, equation 5
 */
export function karrasSigmas(levels: Iterable<number>, steps: number): readonly number[] {
  const known = [...levels]
  const from = Math.max(...known) ** (1 / 7)
  const to = Math.min(...known) ** (1 / 7)
  return Array.from({ length: steps }, (_, i) => {
    const ramp = steps === 1 ? 0 : i === steps - 1 ? 1 : i * (1 / (steps - 1))
    return (from + ramp * (to - from)) ** 7
  })
}

/** The training timestep, with its fraction, at which the model saw this noise level. */
export function timestepOf(sigma: number, { logSigmas }: NoiseSchedule): number {
  const logSigma = Math.log(Math.max(sigma, 1e-10))
  let low = 0
  while (low < logSigmas.length - 2 && valueAt(logSigmas, low + 1) <= logSigma) low++
  const from = valueAt(logSigmas, low)
  const to = valueAt(logSigmas, low + 1)
  const share = Math.min(Math.max((from - logSigma) / (from - to), 0), 1)
  return (1 - share) * low + share * (low + 1)
}

export interface SigmaTrack {
  /** The noise level at each timestep, falling, and the final one behind them; single precision. */
  readonly sigmas: Float32Array
  readonly timesteps: readonly number[]
}

/** Signal and noise shares of latents with this much noise over signal, variance kept at 1. */
export function alphaSigma(sigma: number): { readonly alpha: number; readonly sigma: number } {
  const alpha = 1 / Math.sqrt(sigma * sigma + 1)
  return { alpha, sigma: sigma * alpha }
}
