import { lambda, multistepTrack, type Shares, sharesAt } from './levels/dpm-levels.ts'
import type { SharedTrack } from './levels/flow-sigmas.ts'
import { noiseSchedule } from './levels/noise-schedule.ts'
import { roundHalfEven } from './levels/timesteps.ts'
import { cleanFromPrediction, linear, variancePreserving } from './prediction.ts'
import type { SchedulerConfig } from './scheduler-config.ts'
import { after, type Solver } from './solver.ts'

/** Factors of a DPM-Solver++ step between two noise levels. */
interface DpmUpdate {
  /** Factor of the latents. */
  readonly kept: number
  /** Factor of the clean estimate. */
  readonly gain: number
  /** Factor of the clean estimate's slope over the step, for second order. */
  readonly slope: number
  /** Fresh noise, for the SDE variant. */
  readonly added: readonly [number, Float32Array] | null
}

/**
 * @param noise null = the deterministic variant.
 * @see Lu et al. 2022, arXiv:2211.01095, equations 9 and 18
 */
function dpmUpdate(from: Shares, to: Shares, noise: Float32Array | null, { solverType }: SchedulerConfig): DpmUpdate {
  const h = lambda(to) - lambda(from)
  // The SDE variant behaves like a step of twice the length.
  const length = noise === null ? h : 2 * h
  const gain = to.alpha * (1 - Math.exp(-length))
  return {
    kept: (to.sigma / from.sigma) * (noise === null ? 1 : Math.exp(-h)),
    gain,
    slope: solverType === 'heun' ? to.alpha * ((Math.exp(-length) - 1) / length + 1) : 0.5 * gain,
    added: noise === null ? null : [to.sigma * Math.sqrt(1 - Math.exp(-length)), noise],
  }
}

/** Below this many steps the last one is of first order even where it does not end at zero noise. */
const fewSteps = 15

interface DpmOptions {
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
  // diffusers cuts the timesteps of cosine schedules and rounds the others.
  const whole = config.betaSchedule === 'squaredcos_cap_v2' ? Math.trunc : roundHalfEven
  const { timesteps, sigmas } = options.track ?? multistepTrack(config, noiseSchedule(config, { zeroSnrFloor: true }), steps, { whole })
  const shares = options.track?.shares ?? sharesAt(sigmas)
  const lowerAtEnd = (config.lowerOrderFinal ?? true) && timesteps.length < fewSteps
  const endsInFirstOrder = config.eulerAtFinal || lowerAtEnd || config.finalSigma === 'zero'
  return {
    ...variancePreserving(config, timesteps, shares),
    step: (state, prediction, latents, draw) => {
      const { index } = state
      const from = shares(index)
      const to = shares(index + 1)
      const clean = cleanFromPrediction(config.predictionType, from, prediction, latents)
      const { kept, gain, slope, added } = dpmUpdate(from, to, options.stochastic ? draw() : null, config)
      const next = after(state, { history: [clean] })
      const earlier = state.history.at(-1)
      if (config.solverOrder === 1 || earlier === undefined || (index === timesteps.length - 1 && endsInFirstOrder))
        return { state: next, latents: linear([kept, latents], [gain, clean], added) }
      const perStep = slope / ((lambda(from) - lambda(shares(index - 1))) / (lambda(to) - lambda(from)))
      return { state: next, latents: linear([kept, latents], [gain + perStep, clean], [-perStep, earlier], added) }
    },
  }
}

/**
 * DPM-Solver++ that covers two timesteps by one second-order step, after diffusers' `DPMSolverSinglestepScheduler`.
 *
 * @param options.stochastic The SDE variant, which draws noise at every evaluation.
 * @see Lu et al. 2022, arXiv:2211.01095
 */
export function dpmSinglestep(config: SchedulerConfig, steps: number, options: { readonly stochastic: boolean }): Solver {
  const schedule = noiseSchedule(config, { zeroSnrFloor: false })
  const { timesteps, sigmas } = multistepTrack({ ...config, timestepSpacing: 'linspace' }, schedule, steps)
  const shares = sharesAt(sigmas)
  const orders = orderOfEach(config, steps)
  return {
    ...variancePreserving(config, timesteps, shares),
    step: (state, prediction, latents, draw) => {
      const { index, anchor } = state
      const clean = cleanFromPrediction(config.predictionType, shares(index), prediction, latents)
      const noise = options.stochastic ? draw() : null
      const earlier = state.history.at(-1)
      const next = after(state, { history: [clean] })
      const to = shares(index + 1)
      if (orders[index] !== 2 || earlier === undefined || anchor === null) {
        const { kept, gain, added } = dpmUpdate(shares(index), to, noise, config)
        return { state: { ...next, anchor: latents }, latents: linear([kept, latents], [gain, clean], added) }
      }
      const from = shares(index - 1)
      const { kept, gain, slope, added } = dpmUpdate(from, to, noise, config)
      const perStep = slope / ((lambda(shares(index)) - lambda(from)) / (lambda(to) - lambda(from)))
      return { state: next, latents: linear([kept, anchor], [gain - perStep, earlier], [perStep, clean], added) }
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
