import { finalSigma } from './levels/dpm-levels.ts'
import { eulerSigmas, unscaledNoiseScale } from './levels/euler-sigmas.ts'
import { noiseSchedule } from './levels/noise-schedule.ts'
import { placed } from './levels/placed.ts'
import { linear } from './linear.ts'
import { cleanFromUnscaled } from './prediction.ts'
import type { SchedulerConfig } from './scheduler-config.ts'
import type { Solver } from './solver.ts'
import { unscaled } from './unscaled.ts'

/**
 * Euler's method on the probability-flow equation, after diffusers' `EulerDiscreteScheduler` without churn.
 *
 * @see Karras et al. 2022, arXiv:2206.00364, algorithm 2
 */
export function euler(config: SchedulerConfig, steps: number): Solver {
  const schedule = noiseSchedule(config, { zeroSnrFloor: true })
  const { timesteps, sigmas } = eulerSigmas(config, schedule, steps, finalSigma(config, schedule))
  const sigmaAt = placed(sigmas)
  return {
    timesteps,
    initialNoiseScale: unscaledNoiseScale(config, sigmas),
    order: 1,
    ...unscaled(config, sigmaAt),
    step: (state, prediction, latents) => {
      const sigma = sigmaAt(state.index)
      const clean = cleanFromUnscaled(config.predictionType, sigma, prediction, latents)
      const ratio = (sigmaAt(state.index + 1) - sigma) / sigma
      return {
        state: { ...state, index: state.index + 1, taken: state.taken + 1 },
        latents: linear([1 + ratio, latents], [-ratio, clean]),
      }
    },
  }
}
