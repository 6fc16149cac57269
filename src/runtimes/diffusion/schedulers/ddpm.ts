import { cumulativeLevels } from './levels/cumulative-levels.ts'
import { noiseSchedule } from './levels/noise-schedule.ts'
import { placed } from './levels/placed.ts'
import { spacedTimesteps } from './levels/timesteps.ts'
import { linear } from './linear.ts'
import { cleanFromPrediction, clipped } from './prediction.ts'
import type { SchedulerConfig } from './scheduler-config.ts'
import type { Solver } from './solver.ts'
import { variancePreserving } from './variance-preserving.ts'

/**
 * Ancestral sampling with the small fixed variance, after diffusers' `DDPMScheduler`.
 *
 * @see Ho et al. 2020, arXiv:2006.11239, equations 6 and 7
 */
export function ddpm(config: SchedulerConfig, steps: number): Solver {
  const { alphaBar, level } = cumulativeLevels(noiseSchedule(config, { zeroSnrFloor: false }), 1)
  const timesteps = spacedTimesteps(config, steps, { rounded: true })
  const timeAt = placed(timesteps, -1)
  return {
    timesteps,
    order: 1,
    ...variancePreserving(config, (index) => level(timeAt(index))),
    step: (state, prediction, latents, draw) => {
      const timestep = timeAt(state.index)
      const bar = alphaBar(timestep)
      const previousBar = alphaBar(timeAt(state.index + 1))
      const alpha = Math.fround(bar / previousBar)
      const beta = Math.fround(1 - alpha)
      const clean = clipped(cleanFromPrediction(config.predictionType, level(timestep), prediction, latents), config.clipSampleRange)
      const deviation = Math.sqrt(Math.max(((1 - previousBar) / (1 - bar)) * beta, 1e-20))
      return {
        state: { ...state, index: state.index + 1, taken: state.taken + 1 },
        latents: linear(
          [(Math.sqrt(previousBar) * beta) / (1 - bar), clean],
          [(Math.sqrt(alpha) * (1 - previousBar)) / (1 - bar), latents],
          timestep > 0 ? [deviation, draw()] : null,
        ),
      }
    },
  }
}
