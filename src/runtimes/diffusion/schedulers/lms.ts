import { eulerSigmas, unscaledNoiseScale } from './levels/euler-sigmas.ts'
import { noiseSchedule } from './levels/noise-schedule.ts'
import { placed } from './levels/placed.ts'
import { linear } from './linear.ts'
import { cleanFromUnscaled } from './prediction.ts'
import type { SchedulerConfig } from './scheduler-config.ts'
import type { Solver } from './solver.ts'
import { unscaled } from './unscaled.ts'

const maxOrder = 4

/** Linear multistep method over up to four slopes, after diffusers' `LMSDiscreteScheduler`. */
export function lms(config: SchedulerConfig, steps: number): Solver {
  const schedule = noiseSchedule(config, { zeroSnrFloor: false })
  const { timesteps, sigmas } = eulerSigmas(config, schedule, steps)
  const sigmaAt = placed(sigmas)
  return {
    timesteps,
    initialNoiseScale: unscaledNoiseScale(config, sigmas),
    order: 1,
    ...unscaled(config, sigmaAt),
    step: (state, prediction, latents) => {
      const sigma = sigmaAt(state.index)
      const clean = cleanFromUnscaled(config.predictionType, sigma, prediction, latents)
      const slopes = [...state.history, linear([1 / sigma, latents], [-1 / sigma, clean])].slice(-maxOrder)
      // diffusers takes the order from the place in the schedule, even where fewer slopes are known (image-to-image).
      const order = Math.min(state.index + 1, maxOrder)
      const terms = slopes
        .toReversed()
        .slice(0, order)
        .map((slope, i) => [coefficient(sigmaAt, state.index, order, i), slope] as const)
      return {
        state: { ...state, index: state.index + 1, taken: state.taken + 1, history: slopes },
        latents: linear([1, latents], ...terms),
      }
    },
  }
}

/**
 * Integral of the Lagrange polynomial of the slope `which` steps back, over the step at `index`. Simpson's rule is
 * exact: the polynomial is at most cubic.
 */
function coefficient(sigmaAt: (index: number) => number, index: number, order: number, which: number): number {
  const polynomial = (sigma: number): number => {
    let product = 1
    for (let k = 0; k < order; k++) {
      if (k !== which) product *= (sigma - sigmaAt(index - k)) / (sigmaAt(index - which) - sigmaAt(index - k))
    }
    return product
  }
  const from = sigmaAt(index)
  const to = sigmaAt(index + 1)
  return ((to - from) / 6) * (polynomial(from) + 4 * polynomial((from + to) / 2) + polynomial(to))
}
