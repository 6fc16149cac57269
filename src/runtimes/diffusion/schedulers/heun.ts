import { eulerSigmas, unscaledNoiseScale } from './levels/euler-sigmas.ts'
import { noiseSchedule } from './levels/noise-schedule.ts'
import { placed } from './levels/placed.ts'
import { linear } from './linear.ts'
import { cleanFromUnscaled, clipped } from './prediction.ts'
import type { SchedulerConfig } from './scheduler-config.ts'
import type { Solver } from './solver.ts'
import { unscaled } from './unscaled.ts'

/**
 * Heun's method: an Euler step, then the same step again with the mean of both slopes, after diffusers'
 * `HeunDiscreteScheduler`. The last step, to zero noise, is Euler's.
 *
 * @see Karras et al. 2022, arXiv:2206.00364, algorithm 1
 */
export function heun(config: SchedulerConfig, steps: number): Solver {
  const schedule = noiseSchedule(config, { zeroSnrFloor: false })
  const track = eulerSigmas(config, schedule, steps)
  const timesteps = track.timesteps.flatMap((time, i) => (i === 0 ? [time] : [time, time]))
  /** The level of each evaluation: the first once, each later one as a target and as a start. */
  const level = placed(track.sigmas)
  const sigmaAt = (index: number): number => level(Math.ceil(index / 2))
  return {
    timesteps,
    initialNoiseScale: unscaledNoiseScale(config, track.sigmas),
    order: 2,
    ...unscaled(config, sigmaAt),
    step: (state, prediction, latents) => {
      const sigma = sigmaAt(state.index)
      const clean = clipped(cleanFromUnscaled(config.predictionType, sigma, prediction, latents), config.clipSampleRange)
      const slope = linear([1 / sigma, latents], [-1 / sigma, clean])
      const next = { index: state.index + 1, taken: state.taken + 1 }
      const [earlierSlope] = state.history
      if (state.anchor === null || earlierSlope === undefined) {
        const distance = sigmaAt(state.index + 1) - sigma
        return { state: { ...next, history: [slope], anchor: latents }, latents: linear([1, latents], [distance, slope]) }
      }
      const distance = sigma - sigmaAt(state.index - 1)
      const moved = linear([1, state.anchor], [distance / 2, earlierSlope], [distance / 2, slope])
      return { state: { ...next, history: [], anchor: null }, latents: moved }
    },
  }
}
