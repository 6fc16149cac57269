import { dpmUpdate } from './dpm-update.ts'
import { finalSigma, lambda, multistepTimesteps, sharesAt } from './levels/dpm-levels.ts'
import { type NoiseSchedule, noiseSchedule } from './levels/noise-schedule.ts'
import type { SharedTrack } from './levels/shared-track.ts'
import { interpolate, karrasSigmas, type SigmaTrack, timestepOf } from './levels/sigmas.ts'
import { roundHalfEven } from './levels/timesteps.ts'
import { cleanFromPrediction, linear, variancePreserving } from './prediction.ts'
import type { SchedulerConfig } from './scheduler-config.ts'
import type { Solver } from './solver.ts'

/** Below this many steps the last one is of first order even where it does not end at zero noise. */
const fewSteps = 15

export interface DpmOptions {
  /** The SDE variant, which draws noise at every step. */
  readonly stochastic: boolean
  /** Noise levels that stand for those of the config: flow matching's. */
  readonly track?: SharedTrack
}

/**
 * DPM-Solver++ with one evaluation per step and a memory of one, after diffusers' `DPMSolverMultistepScheduler`.
 *
 * @see Lu et al. 2022, arXiv:2211.01095
 */
export function dpmMultistep(config: SchedulerConfig, steps: number, options: DpmOptions): Solver {
  const { timesteps, sigmas } = options.track ?? track(config, noiseSchedule(config, { zeroSnrFloor: true }), steps)
  const shares = options.track?.shares ?? sharesAt(sigmas)
  const lowerAtEnd = (config.lowerOrderFinal ?? true) && timesteps.length < fewSteps
  const endsInFirstOrder = config.eulerAtFinal || lowerAtEnd || config.finalSigma === 'zero'
  return {
    timesteps,
    order: 1,
    ...variancePreserving(config, shares),
    step: (state, prediction, latents, draw) => {
      const { index } = state
      const from = shares(index)
      const to = shares(index + 1)
      const clean = cleanFromPrediction(config.predictionType, from, prediction, latents)
      const { kept, gain, slope, added } = dpmUpdate(from, to, options.stochastic ? draw() : null, config)
      const next = { ...state, index: index + 1, taken: state.taken + 1, history: [clean] }
      const earlier = state.history.at(-1)
      if (config.solverOrder === 1 || earlier === undefined || (index === timesteps.length - 1 && endsInFirstOrder))
        return { state: next, latents: linear([kept, latents], [gain, clean], added) }
      const perStep = slope / ((lambda(from) - lambda(shares(index - 1))) / (lambda(to) - lambda(from)))
      return { state: next, latents: linear([kept, latents], [gain + perStep, clean], [-perStep, earlier], added) }
    },
  }
}

function track(config: SchedulerConfig, schedule: NoiseSchedule, steps: number): SigmaTrack {
  const end = finalSigma(config, schedule)
  if (config.karrasSigmas) {
    const karras = karrasSigmas(schedule.sigmas, steps)
    const exact = karras.map((sigma) => timestepOf(sigma, schedule))
    // Timesteps are whole numbers in this scheduler: rounded, or cut where diffusers does not round.
    const timesteps = exact.map(config.betaSchedule === 'squaredcos_cap_v2' ? Math.trunc : roundHalfEven)
    return { timesteps, sigmas: Float32Array.from([...karras, end]) }
  }
  const timesteps = multistepTimesteps(config, schedule, steps)
  return { timesteps, sigmas: Float32Array.from([...timesteps.map((time) => interpolate(schedule.sigmas, time)), end]) }
}
