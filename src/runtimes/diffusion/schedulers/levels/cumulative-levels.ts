import { valueAt } from '../../value-at.ts'
import type { SchedulerConfig } from '../scheduler-config.ts'
import type { NoiseSchedule } from './noise-schedule.ts'

/** Looks up how much signal is left at training timesteps, for the DDIM family. */
export interface CumulativeLevels {
  /** Signal's share of the variance at a timestep; after the last one, according to the model's config. */
  alphaBar(timestep: number): number
  /** Signal and noise as factors. */
  level(timestep: number): { readonly alpha: number; readonly sigma: number }
}

/** @param beyond The share of signal for timesteps below 0. */
export function cumulativeLevels({ alphasCumprod }: NoiseSchedule, beyond: number): CumulativeLevels {
  const alphaBar = (timestep: number): number => (timestep < 0 ? beyond : valueAt(alphasCumprod, timestep))
  return {
    alphaBar,
    level: (timestep) => {
      const bar = alphaBar(timestep)
      return { alpha: Math.sqrt(bar), sigma: Math.sqrt(1 - bar) }
    },
  }
}

/** The value diffusers uses after the last step: all signal, or the level of timestep 0. */
export function finalAlphaBar(config: SchedulerConfig, { alphasCumprod }: NoiseSchedule): number {
  return config.setAlphaToOne ? 1 : (alphasCumprod[0] ?? 1)
}
