import type { SchedulerConfig } from '../scheduler-config.ts'
import type { NoiseSchedule } from './noise-schedule.ts'
import { interpolate, karrasSigmas, type SigmaTrack, timestepOf } from './sigmas.ts'
import { spacedTimesteps } from './timesteps.ts'

/**
 * Timesteps and noise levels of the k-diffusion family (Euler, Heun, LMS).
 *
 * @param end The noise level behind the last step.
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
