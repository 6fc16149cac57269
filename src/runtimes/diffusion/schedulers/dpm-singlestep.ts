import { dpmUpdate } from './dpm-update.ts'
import { finalSigma, lambda, sharesAt, usableTimesteps } from './levels/dpm-levels.ts'
import { type NoiseSchedule, noiseSchedule } from './levels/noise-schedule.ts'
import { interpolate, karrasSigmas, type SigmaTrack, timestepOf } from './levels/sigmas.ts'
import { evenlySpaced, roundHalfEven } from './levels/timesteps.ts'
import { cleanFromPrediction, linear, variancePreserving } from './prediction.ts'
import type { SchedulerConfig } from './scheduler-config.ts'
import type { Solver } from './solver.ts'

/**
 * DPM-Solver++ that covers two timesteps by one second-order step, after diffusers' `DPMSolverSinglestepScheduler`.
 *
 * @param options.stochastic The SDE variant, which draws noise at every evaluation.
 * @see Lu et al. 2022, arXiv:2211.01095
 */
export function dpmSinglestep(config: SchedulerConfig, steps: number, options: { readonly stochastic: boolean }): Solver {
  const schedule = noiseSchedule(config, { zeroSnrFloor: false })
  const { timesteps, sigmas } = track(config, schedule, steps)
  const shares = sharesAt(sigmas)
  const orders = orderOfEach(config, steps)
  return {
    timesteps,
    order: 1,
    ...variancePreserving(config, shares),
    step: (state, prediction, latents, draw) => {
      const { index, anchor } = state
      const clean = cleanFromPrediction(config.predictionType, shares(index), prediction, latents)
      const noise = options.stochastic ? draw() : null
      const earlier = state.history.at(-1)
      const next = { index: index + 1, taken: state.taken + 1, history: [clean] }
      const to = shares(index + 1)
      if (orders[index] !== 2 || earlier === undefined || anchor === null) {
        const { kept, gain, added } = dpmUpdate(shares(index), to, noise, config)
        return { state: { ...next, anchor: latents }, latents: linear([kept, latents], [gain, clean], added) }
      }
      const from = shares(index - 1)
      const { kept, gain, slope, added } = dpmUpdate(from, to, noise, config)
      const perStep = slope / ((lambda(shares(index)) - lambda(from)) / (lambda(to) - lambda(from)))
      return {
        state: { ...next, anchor },
        latents: linear([kept, anchor], [gain - perStep, earlier], [perStep, clean], added),
      }
    },
  }
}

/** First and second order in turn; the end is first order, so that no step reaches zero noise with second order. */
function orderOfEach(config: SchedulerConfig, steps: number): readonly (1 | 2)[] {
  const uneven = steps % config.solverOrder !== 0
  const lowerAtEnd = (config.lowerOrderFinal ?? false) || uneven || config.finalSigma === 'zero'
  return Array.from({ length: steps }, (_, i) => {
    const second = config.solverOrder === 2 && i % 2 === 1
    return second && !(lowerAtEnd && i === steps - 1) ? 2 : 1
  })
}

function track(config: SchedulerConfig, schedule: NoiseSchedule, steps: number): SigmaTrack {
  const end = finalSigma(config, schedule)
  if (config.karrasSigmas) {
    const karras = karrasSigmas(schedule.sigmas, steps)
    return { timesteps: karras.map((sigma) => roundHalfEven(timestepOf(sigma, schedule))), sigmas: Float32Array.from([...karras, end]) }
  }
  const timesteps = evenlySpaced(usableTimesteps(config, schedule) - 1, steps + 1)
    .slice(1)
    .map(roundHalfEven)
    .toReversed()
  return { timesteps, sigmas: Float32Array.from([...timesteps.map((time) => interpolate(schedule.sigmas, time)), end]) }
}
