import { valueAt } from '../../value-at.ts'
import type { SchedulerConfig } from '../scheduler-config.ts'
import type { NoiseSchedule } from './noise-schedule.ts'
import { roundHalfEven, spacedTimesteps } from './timesteps.ts'

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
  /** The noise level at each timestep, falling, followed by the final one; single precision. */
  readonly sigmas: Float32Array
  readonly timesteps: readonly number[]
}

/** Factors of signal and noise at variance 1, given the ratio of noise to signal. */
export function alphaSigma(sigma: number): { readonly alpha: number; readonly sigma: number } {
  const alpha = 1 / Math.sqrt(sigma * sigma + 1)
  return { alpha, sigma: sigma * alpha }
}

/**
 * Splits a step between two noise levels into going down deterministically and adding noise again, in single precision:
 * the difference is small enough for rounding to matter.
 */
export function ancestralLevels(from: number, to: number): { readonly up: number; readonly down: number } {
  const { fround } = Math
  const fromSquared = fround(from * from)
  const toSquared = fround(to * to)
  const up = fround(Math.sqrt(fround(fround(toSquared * fround(fromSquared - toSquared)) / fromSquared)))
  return { up, down: fround(Math.sqrt(Math.max(fround(toSquared - fround(up * up)), 0))) }
}

/** Reads a schedule by index; outside its range the value is `beyond`. */
export function placed(values: ArrayLike<number>, beyond = 0): (place: number) => number {
  return (place) => values[place] ?? beyond
}

/**
 * Timesteps and noise levels of the k-diffusion family (Euler, Heun, LMS).
 *
 * @param end The noise level after the last step.
 */
export function eulerSigmas(config: SchedulerConfig, schedule: NoiseSchedule, steps: number, end = 0): SigmaTrack {
  const spaced = spacedTimesteps(config, steps, { rounded: false })
  const sigmas = spaced.map((time) => interpolate(schedule.sigmas, time))
  if (!config.karrasSigmas) return { timesteps: spaced, sigmas: Float32Array.from([...sigmas, end]) }
  const karras = karrasSigmas(sigmas, steps)
  return { timesteps: karras.map((sigma) => Math.fround(timestepOf(sigma, schedule))), sigmas: Float32Array.from([...karras, end]) }
}

/** The first noise's factor: unscaled latents start at the largest noise level, plus the signal's own unit for "leading" spacing. */
export function unscaledNoiseScale(config: SchedulerConfig, sigmas: Float32Array): number {
  const largest = Math.max(...sigmas)
  return config.timestepSpacing === 'leading' ? Math.sqrt(largest * largest + 1) : largest
}

/** The k-diffusion levels, except that Karras timesteps are rounded to whole numbers in this family. */
export function dpm2Sigmas(config: SchedulerConfig, schedule: NoiseSchedule, steps: number): SigmaTrack {
  const { timesteps, sigmas } = eulerSigmas(config, schedule, steps)
  return { sigmas, timesteps: config.karrasSigmas ? timesteps.map(roundHalfEven) : timesteps }
}

/** Noise levels by evaluation of the model: even ones are at a level of the track, odd ones at the middle of a step. */
interface HalfSteps {
  readonly timesteps: readonly number[]
  /** The track's level at an evaluation, or the one that a step from the middle ends at. */
  readonly sigmaAt: (index: number) => number
  /** The middle of the step that an evaluation belongs to. */
  readonly middleAt: (index: number) => number
  /** The level of the latents that an evaluation sees. */
  readonly inputSigma: (index: number) => number
}

/** @param middles The level at the middle of each step; the last step has none. */
export function halfSteps({ sigmas, timesteps }: SigmaTrack, middles: Float32Array, schedule: NoiseSchedule): HalfSteps {
  const [level, middle] = [placed(sigmas), placed(middles)]
  const sigmaAt = (index: number): number => level(Math.ceil(index / 2))
  const middleAt = (index: number): number => middle(Math.floor(index / 2))
  return {
    timesteps: timesteps.flatMap((time, k) => (k === 0 ? [time] : [timestepOf(middle(k - 1), schedule), time])),
    sigmaAt,
    middleAt,
    inputSigma: (index) => (index % 2 === 1 ? middleAt(index) : sigmaAt(index)),
  }
}
