import { ServiceError } from '../../../core/error.ts'
import { cumulativeLevels, finalAlphaBar } from './levels/cumulative-levels.ts'
import { noiseSchedule } from './levels/noise-schedule.ts'
import { placed } from './levels/placed.ts'
import { linear } from './linear.ts'
import { cleanFromPrediction, clipped } from './prediction.ts'
import type { SchedulerConfig } from './scheduler-config.ts'
import type { Solver } from './solver.ts'
import { variancePreserving } from './variance-preserving.ts'

/** What latents deviate by, in the boundary condition of consistency models. */
const dataDeviation = 0.5

/**
 * Multistep consistency sampling, after diffusers' `LCMScheduler`.
 *
 * @see Luo et al. 2023, arXiv:2310.04378
 */
export function lcm(config: SchedulerConfig, steps: number): Solver {
  const { originalInferenceSteps, trainTimesteps, timestepScaling } = config
  if (steps > originalInferenceSteps)
    throw new ServiceError('validation_error', `The sampler LCM takes at most ${originalInferenceSteps} steps: ask for fewer.`, {
      param: 'steps',
    })
  const schedule = noiseSchedule(config, { zeroSnrFloor: false })
  const { alphaBar, level } = cumulativeLevels(schedule, finalAlphaBar(config, schedule))
  const stride = Math.floor(trainTimesteps / originalInferenceSteps)
  const timesteps = Array.from({ length: steps }, (_, i) => {
    const place = Math.floor(i * (originalInferenceSteps / steps))
    return (originalInferenceSteps - place) * stride - 1
  })
  const timeAt = placed(timesteps)
  return {
    timesteps,
    order: 1,
    ...variancePreserving(config, (index) => level(timeAt(index))),
    step: (state, prediction, latents, draw) => {
      const timestep = timeAt(state.index)
      const scaled = timestep * timestepScaling
      const keep = dataDeviation ** 2 / (scaled ** 2 + dataDeviation ** 2)
      const take = scaled / Math.sqrt(scaled ** 2 + dataDeviation ** 2)
      const estimate = clipped(cleanFromPrediction(config.predictionType, level(timestep), prediction, latents), config.clipSampleRange)
      const clean = linear([take, estimate], [keep, latents])
      const next = { ...state, index: state.index + 1, taken: state.taken + 1 }
      if (state.index === timesteps.length - 1) return { state: next, latents: clean }
      const previous = alphaBar(timeAt(state.index + 1))
      return { state: next, latents: linear([Math.sqrt(previous), clean], [Math.sqrt(1 - previous), draw()]) }
    },
  }
}
