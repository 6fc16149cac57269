import type { SchedulerConfig } from '../scheduler-config.ts'
import { eulerSigmas } from './euler-sigmas.ts'
import type { NoiseSchedule } from './noise-schedule.ts'
import { placed } from './placed.ts'
import { type SigmaTrack, timestepOf } from './sigmas.ts'
import { roundHalfEven } from './timesteps.ts'

/** The k-diffusion levels, except that Karras timesteps are rounded to whole numbers in this family. */
export function dpm2Sigmas(config: SchedulerConfig, schedule: NoiseSchedule, steps: number): SigmaTrack {
  const { timesteps, sigmas } = eulerSigmas(config, schedule, steps)
  return { sigmas, timesteps: config.karrasSigmas ? timesteps.map(roundHalfEven) : timesteps }
}

/** Noise levels by evaluation of the model: even ones are at a level of the track, odd ones at the middle of a step. */
export interface HalfSteps {
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
