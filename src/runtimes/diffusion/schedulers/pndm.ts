import { valueAt } from '../value-at.ts'
import { cumulativeLevels, finalAlphaBar } from './levels/cumulative-levels.ts'
import { noiseSchedule } from './levels/noise-schedule.ts'
import { placed } from './levels/placed.ts'
import { spacedTimesteps } from './levels/timesteps.ts'
import { linear } from './linear.ts'
import { noiseFromPrediction } from './prediction.ts'
import type { SchedulerConfig } from './scheduler-config.ts'
import type { Solver } from './solver.ts'
import { variancePreserving } from './variance-preserving.ts'

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
    timesteps,
    order: 1,
    ...variancePreserving(config, (index) => level(timeAt(index))),
    step: (state, prediction, latents) => {
      const time = timeAt(state.index)
      const next = { index: state.index + 1, taken: state.taken + 1 }
      const [first] = state.history
      if (state.taken === 1 && first !== undefined && state.anchor !== null) {
        // The first step again, with the mean of the noise at both of its ends.
        const mean = linear([0.5, prediction], [0.5, first])
        return { state: { ...next, history: state.history, anchor: null }, latents: move(time + stride, time, mean, state.anchor) }
      }
      const history = [...state.history.slice(-3), prediction]
      const anchor = state.taken === 0 ? latents : null
      return { state: { ...next, history, anchor }, latents: move(time, time - stride, extrapolated(history), latents) }
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
