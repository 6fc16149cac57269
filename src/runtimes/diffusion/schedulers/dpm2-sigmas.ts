import type { NoiseSchedule } from '../noise-schedule.ts'
import type { SchedulerConfig } from '../scheduler-config.ts'
import { eulerSigmas } from './euler-sigmas.ts'
import type { SigmaTrack } from './sigmas.ts'
import { roundHalfEven } from './timesteps.ts'

/** The k-diffusion levels, except that Karras timesteps are rounded to whole numbers in this family. */
export function dpm2Sigmas(config: SchedulerConfig, schedule: NoiseSchedule, steps: number): SigmaTrack {
  const { timesteps, sigmas } = eulerSigmas(config, schedule, steps)
  return { sigmas, timesteps: config.karrasSigmas ? timesteps.map(roundHalfEven) : timesteps }
}
