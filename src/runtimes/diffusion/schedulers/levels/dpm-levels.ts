import type { SchedulerConfig } from '../scheduler-config.ts'
import type { NoiseSchedule } from './noise-schedule.ts'
import { alphaSigma, interpolate, karrasSigmas, type SigmaTrack, timestepOf } from './sigmas.ts'
import { evenlySpaced, roundHalfEven, trailingTimesteps } from './timesteps.ts'

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

/** The noise level that Euler's and the DPM family end at. */
export function finalSigma(config: SchedulerConfig, { sigmas }: NoiseSchedule): number {
  return config.finalSigma === 'zero' ? 0 : Math.min(...sigmas)
}

/** Training timesteps whose signal-to-noise ratio is not below the model's bound; all of them but for cosine schedules. */
function usableTimesteps(config: SchedulerConfig, { logSigmas }: NoiseSchedule): number {
  return logSigmas.findLastIndex((logSigma) => -logSigma >= config.lambdaMinClipped) + 1
}

/** The last timestep is left out of one more than needed, for all but "trailing" spacing. */
function multistepTimesteps(config: SchedulerConfig, schedule: NoiseSchedule, steps: number): readonly number[] {
  const usable = usableTimesteps(config, schedule)
  switch (config.timestepSpacing) {
    case 'linspace':
      return evenlySpaced(usable - 1, steps + 1)
        .slice(1)
        .map(roundHalfEven)
        .toReversed()
    case 'leading': {
      const ratio = Math.floor(usable / (steps + 1))
      return Array.from({ length: steps }, (_, i) => (steps - i) * ratio + config.stepsOffset)
    }
    case 'trailing':
      return trailingTimesteps(usable, config.trainTimesteps / steps)
  }
}

/**
 * Timesteps, as integers, and noise levels of the DPM family and UniPC.
 *
 * @param options.whole How Karras timesteps become integers.
 * @param options.end The level after the last step, given the Karras levels.
 */
export function multistepTrack(
  config: SchedulerConfig,
  schedule: NoiseSchedule,
  steps: number,
  { whole = roundHalfEven, end = () => finalSigma(config, schedule) }: MultistepOptions = {},
): SigmaTrack {
  if (config.karrasSigmas) {
    const karras = karrasSigmas(schedule.sigmas, steps)
    return { timesteps: karras.map((sigma) => whole(timestepOf(sigma, schedule))), sigmas: Float32Array.from([...karras, end(karras)]) }
  }
  const timesteps = multistepTimesteps(config, schedule, steps)
  const sigmas = timesteps.map((time) => interpolate(schedule.sigmas, time))
  return { timesteps, sigmas: Float32Array.from([...sigmas, finalSigma(config, schedule)]) }
}

interface MultistepOptions {
  readonly whole?: (timestep: number) => number
  readonly end?: (karras: readonly number[]) => number
}
