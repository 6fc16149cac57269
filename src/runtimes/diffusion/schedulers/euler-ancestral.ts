import { ancestralLevels } from './levels/ancestral-levels.ts'
import { eulerSigmas, unscaledNoiseScale } from './levels/euler-sigmas.ts'
import { noiseSchedule } from './levels/noise-schedule.ts'
import { placed } from './levels/placed.ts'
import { linear } from './linear.ts'
import { cleanFromUnscaled } from './prediction.ts'
import type { SchedulerConfig } from './scheduler-config.ts'
import type { Solver } from './solver.ts'
import { unscaled } from './unscaled.ts'

/** Euler's method with fresh noise after every step, after diffusers' `EulerAncestralDiscreteScheduler`. */
export function eulerAncestral(config: SchedulerConfig, steps: number): Solver {
  const schedule = noiseSchedule(config, { zeroSnrFloor: true })
  const { timesteps, sigmas } = eulerSigmas({ ...config, karrasSigmas: false }, schedule, steps)
  const sigmaAt = placed(sigmas)
  return {
    timesteps,
    initialNoiseScale: unscaledNoiseScale(config, sigmas),
    order: 1,
    ...unscaled(config, sigmaAt),
    step: (state, prediction, latents, draw) => {
      const sigma = sigmaAt(state.index)
      const { up, down } = ancestralLevels(sigma, sigmaAt(state.index + 1))
      const clean = cleanFromUnscaled(config.predictionType, sigma, prediction, latents)
      const ratio = (down - sigma) / sigma
      return {
        state: { ...state, index: state.index + 1, taken: state.taken + 1 },
        latents: linear([1 + ratio, latents], [-ratio, clean], [up, draw()]),
      }
    },
  }
}
