import { cumulativeLevels, finalAlphaBar } from './levels/cumulative-levels.ts'
import { noiseSchedule } from './levels/noise-schedule.ts'
import { placed } from './levels/placed.ts'
import { spacedTimesteps } from './levels/timesteps.ts'
import { linear } from './linear.ts'
import { cleanFromPrediction, clipped, noiseFromPrediction } from './prediction.ts'
import type { SchedulerConfig } from './scheduler-config.ts'
import type { Solver } from './solver.ts'
import { variancePreserving } from './variance-preserving.ts'

/**
 * Deterministic DDIM (η = 0), after diffusers' `DDIMScheduler`.
 *
 * @see Song et al. 2020, arXiv:2010.02502, equation 12
 */
export function ddim(config: SchedulerConfig, steps: number): Solver {
  const schedule = noiseSchedule(config, { zeroSnrFloor: false })
  const { alphaBar, level } = cumulativeLevels(schedule, finalAlphaBar(config, schedule))
  const timesteps = spacedTimesteps(config, steps, { rounded: true })
  const stride = Math.floor(config.trainTimesteps / steps)
  const timeAt = placed(timesteps)
  return {
    timesteps,
    order: 1,
    ...variancePreserving(config, (index) => level(timeAt(index))),
    step: (state, prediction, latents) => {
      const current = level(timeAt(state.index))
      const previous = alphaBar(timeAt(state.index) - stride)
      const clean = clipped(cleanFromPrediction(config.predictionType, current, prediction, latents), config.clipSampleRange)
      const noise = noiseFromPrediction(config.predictionType, current, prediction, latents)
      return {
        state: { ...state, index: state.index + 1, taken: state.taken + 1 },
        latents: linear([Math.sqrt(previous), clean], [Math.sqrt(1 - previous), noise]),
      }
    },
  }
}
