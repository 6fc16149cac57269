import type { NoiseSchedule } from '../noise-schedule.ts'
import type { SchedulerConfig } from '../scheduler-config.ts'
import { alphaSigma } from './sigmas.ts'

export interface Shares {
  readonly alpha: number
  readonly sigma: number
}

/** Signal and noise shares at every place of a noise track. */
export function sharesAt(sigmas: Float32Array): (index: number) => Shares {
  const shares = Array.from(sigmas, alphaSigma)
  const none: Shares = { alpha: 1, sigma: 0 }
  return (index) => shares[index] ?? none
}

/** Half the logarithm of the signal-to-noise ratio; infinite where no noise is left. */
export function lambda({ alpha, sigma }: Shares): number {
  return Math.log(alpha) - Math.log(sigma)
}

/** The noise level the DPM family ends at. */
export function finalSigma(config: SchedulerConfig, { sigmas }: NoiseSchedule): number {
  return config.finalSigma === 'zero' ? 0 : (sigmas[0] ?? 0)
}
