import { dpm2Sigmas, halfSteps } from './levels/dpm2-sigmas.ts'
import { unscaledNoiseScale } from './levels/euler-sigmas.ts'
import { noiseSchedule } from './levels/noise-schedule.ts'
import { placed } from './levels/placed.ts'
import { linear } from './linear.ts'
import { cleanFromUnscaled } from './prediction.ts'
import type { SchedulerConfig } from './scheduler-config.ts'
import type { Solver } from './solver.ts'
import { unscaled } from './unscaled.ts'

/**
 * DPM-Solver-2: the slope is taken at the geometric middle of each step, after diffusers' `KDPM2DiscreteScheduler`.
 *
 * @see Karras et al. 2022, arXiv:2206.00364, algorithm 2; Lu et al. 2022, arXiv:2206.00927
 */
export function dpm2(config: SchedulerConfig, steps: number): Solver {
  const schedule = noiseSchedule(config, { zeroSnrFloor: false })
  const track = dpm2Sigmas(config, schedule, steps)
  const { sigmas } = track
  /** Between level k and the next; zero before the last. */
  const level = placed(sigmas)
  const middles = Float32Array.from({ length: steps }, (_, k) => Math.exp((Math.log(level(k)) + Math.log(level(k + 1))) / 2))
  const { timesteps, sigmaAt, middleAt, inputSigma } = halfSteps(track, middles, schedule)
  return {
    timesteps,
    initialNoiseScale: unscaledNoiseScale(config, sigmas),
    order: 2,
    ...unscaled(config, inputSigma, sigmaAt),
    step: (state, prediction, latents) => {
      const { index, anchor } = state
      const next = { ...state, index: index + 1, taken: state.taken + 1 }
      const sigma = inputSigma(index)
      const clean = cleanFromUnscaled(config.predictionType, sigma, prediction, latents)
      if (anchor === null) {
        const ratio = (middleAt(index) - sigma) / sigma
        return { state: { ...next, anchor: latents }, latents: linear([1 + ratio, latents], [-ratio, clean]) }
      }
      const ratio = (sigmaAt(index) - sigmaAt(index - 1)) / sigma
      return { state: { ...next, anchor: null }, latents: linear([1, anchor], [ratio, latents], [-ratio, clean]) }
    },
  }
}
