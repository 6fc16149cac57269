import { ancestralLevels } from './levels/ancestral-levels.ts'
import { dpm2Sigmas, halfSteps } from './levels/dpm2-sigmas.ts'
import { unscaledNoiseScale } from './levels/euler-sigmas.ts'
import { noiseSchedule } from './levels/noise-schedule.ts'
import { placed } from './levels/placed.ts'
import { linear } from './linear.ts'
import { cleanFromUnscaled } from './prediction.ts'
import type { SchedulerConfig } from './scheduler-config.ts'
import type { Solver } from './solver.ts'
import { unscaled } from './unscaled.ts'

/** DPM-Solver-2 with fresh noise after every step, after diffusers' `KDPM2AncestralDiscreteScheduler`. */
export function dpm2Ancestral(config: SchedulerConfig, steps: number): Solver {
  const schedule = noiseSchedule(config, { zeroSnrFloor: false })
  const track = dpm2Sigmas(config, schedule, steps)
  const { sigmas } = track
  const level = placed(sigmas)
  const levels = Array.from({ length: steps }, (_, k) => ancestralLevels(level(k), level(k + 1)))
  /** Between level k and what its step goes down to; zero in the last step. */
  const middles = Float32Array.from(levels, ({ down }, k) =>
    k === steps - 1 ? 0 : Math.exp((Math.fround(Math.log(level(k))) + Math.fround(Math.log(down))) / 2),
  )
  const { timesteps, sigmaAt, middleAt, inputSigma } = halfSteps(track, middles, schedule)
  return {
    timesteps,
    initialNoiseScale: unscaledNoiseScale(config, sigmas),
    order: 2,
    ...unscaled(config, inputSigma, sigmaAt),
    step: (state, prediction, latents, draw) => {
      const { index, anchor } = state
      const next = { ...state, index: index + 1, taken: state.taken + 1 }
      const sigma = inputSigma(index)
      const clean = cleanFromUnscaled(config.predictionType, sigma, prediction, latents)
      if (anchor === null) {
        const ratio = (middleAt(index) - sigma) / sigma
        return { state: { ...next, anchor: latents }, latents: linear([1 + ratio, latents], [-ratio, clean]) }
      }
      const { up, down } = levels[Math.floor(index / 2)] ?? { up: 0, down: 0 }
      const ratio = (down - sigmaAt(index - 1)) / sigma
      return { state: { ...next, anchor: null }, latents: linear([1, anchor], [ratio, latents], [-ratio, clean], [up, draw()]) }
    },
  }
}
