import { ServiceError } from '../../../core/error.ts'
import { valueAt } from '../value-at.ts'
import { cumulativeLevels, finalAlphaBar, noiseSchedule } from './levels/noise-schedule.ts'
import { placed } from './levels/sigmas.ts'
import { spacedTimesteps } from './levels/timesteps.ts'
import { cleanFromPrediction, clipped, linear, noiseFromPrediction, variancePreserving } from './prediction.ts'
import type { SchedulerConfig } from './scheduler-config.ts'
import { after, type Solver } from './solver.ts'

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
    ...variancePreserving(config, timesteps, (index) => level(timeAt(index))),
    step: (state, prediction, latents) => {
      const current = level(timeAt(state.index))
      const previous = alphaBar(timeAt(state.index) - stride)
      const clean = clipped(cleanFromPrediction(config.predictionType, current, prediction, latents), config.clipSampleRange)
      const noise = noiseFromPrediction(config.predictionType, current, prediction, latents)
      return { state: after(state), latents: linear([Math.sqrt(previous), clean], [Math.sqrt(1 - previous), noise]) }
    },
  }
}

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
    ...variancePreserving(config, timesteps, (index) => level(timeAt(index))),
    step: (state, prediction, latents, draw) => {
      const timestep = timeAt(state.index)
      const bar = alphaBar(timestep)
      const previousBar = alphaBar(timeAt(state.index + 1))
      const alpha = Math.fround(bar / previousBar)
      const beta = Math.fround(1 - alpha)
      const clean = clipped(cleanFromPrediction(config.predictionType, level(timestep), prediction, latents), config.clipSampleRange)
      const deviation = Math.sqrt(Math.max(((1 - previousBar) / (1 - bar)) * beta, 1e-20))
      return {
        state: after(state),
        latents: linear(
          [(Math.sqrt(previousBar) * beta) / (1 - bar), clean],
          [(Math.sqrt(alpha) * (1 - previousBar)) / (1 - bar), latents],
          timestep > 0 ? [deviation, draw()] : null,
        ),
      }
    },
  }
}

/** Standard deviation of latents in the boundary condition of consistency models. */
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
    ...variancePreserving(config, timesteps, (index) => level(timeAt(index))),
    step: (state, prediction, latents, draw) => {
      const timestep = timeAt(state.index)
      const scaled = timestep * timestepScaling
      const keep = dataDeviation ** 2 / (scaled ** 2 + dataDeviation ** 2)
      const take = scaled / Math.sqrt(scaled ** 2 + dataDeviation ** 2)
      const estimate = clipped(cleanFromPrediction(config.predictionType, level(timestep), prediction, latents), config.clipSampleRange)
      const clean = linear([take, estimate], [keep, latents])
      const next = after(state)
      if (state.index === timesteps.length - 1) return { state: next, latents: clean }
      const previous = alphaBar(timeAt(state.index + 1))
      return { state: next, latents: linear([Math.sqrt(previous), clean], [Math.sqrt(1 - previous), draw()]) }
    },
  }
}

/**
 * Pseudo linear multistep method (PLMS), after diffusers' `PNDMScheduler` without its Runge–Kutta start. The second
 * timestep is evaluated twice, so there is one evaluation more than steps.
 *
 * @see Liu et al. 2022, arXiv:2202.09778, equation 9
 */
export function pndm(config: SchedulerConfig, steps: number): Solver {
  const schedule = noiseSchedule(config, { zeroSnrFloor: false })
  const { alphaBar, level } = cumulativeLevels(schedule, finalAlphaBar(config, schedule))
  const spaced = spacedTimesteps(config, steps, { rounded: true })
  const timesteps = [...spaced.slice(0, 2), ...spaced.slice(1)]
  const stride = Math.floor(config.trainTimesteps / steps)
  const timeAt = placed(timesteps)

  /** Equation 9: from one timestep to another along a noise estimate. */
  const move = (from: number, to: number, estimate: Float32Array, latents: Float32Array): Float32Array => {
    const bar = alphaBar(from)
    const target = alphaBar(to)
    const noise = noiseFromPrediction(config.predictionType, level(from), estimate, latents)
    const scale = bar * Math.sqrt(1 - target) + Math.sqrt(bar * (1 - bar) * target)
    return linear([Math.sqrt(target / bar), latents], [-(target - bar) / scale, noise])
  }

  return {
    ...variancePreserving(config, timesteps, (index) => level(timeAt(index))),
    step: (state, prediction, latents) => {
      const time = timeAt(state.index)
      const [first] = state.history
      if (state.taken === 1 && first !== undefined && state.anchor !== null) {
        // The first step again, with the mean of the noise at both of its ends.
        const mean = linear([0.5, prediction], [0.5, first])
        return { state: after(state, { anchor: null }), latents: move(time + stride, time, mean, state.anchor) }
      }
      const history = [...state.history.slice(-3), prediction]
      const anchor = state.taken === 0 ? latents : null
      return { state: after(state, { history, anchor }), latents: move(time, time - stride, extrapolated(history), latents) }
    },
  }
}

/** Adams–Bashforth weights of the noise estimates, newest first, by how many there are. */
const weights = [[1], [3 / 2, -1 / 2], [23 / 12, -16 / 12, 5 / 12], [55 / 24, -59 / 24, 37 / 24, -9 / 24]] as const

function extrapolated(history: readonly Float32Array[]): Float32Array {
  const factors = weights[history.length - 1] ?? weights[0]
  const [newest = new Float32Array(0), ...earlier] = history.toReversed()
  return linear([factors[0], newest], ...earlier.map((estimate, i) => [valueAt(factors, i + 1), estimate] as const))
}
