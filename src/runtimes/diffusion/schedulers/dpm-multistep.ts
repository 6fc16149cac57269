import { type NoiseSchedule, noiseSchedule } from '../noise-schedule.ts'
import type { SchedulerConfig } from '../scheduler-config.ts'
import { finalSigma, lambda, sharesAt } from './dpm-levels.ts'
import { linear } from './linear.ts'
import { cleanFromPrediction } from './prediction.ts'
import { interpolate, karrasSigmas, type SigmaTrack, timestepOf } from './sigmas.ts'
import type { Solver } from './solver.ts'
import { evenlySpaced, roundHalfEven, trailingTimesteps } from './timesteps.ts'

/**
 * DPM-Solver++ with one evaluation per step and a memory of one, after diffusers' `DPMSolverMultistepScheduler`.
 *
 * @param options.stochastic The SDE variant, which draws noise at every step.
 * @see Lu et al. 2022, arXiv:2211.01095
 */
export function dpmMultistep(config: SchedulerConfig, steps: number, options: { readonly stochastic: boolean }): Solver {
  const schedule = noiseSchedule(config, { zeroSnrFloor: true })
  const { timesteps, sigmas } = track(config, schedule, steps)
  const shares = sharesAt(sigmas)
  const last = timesteps.length - 1
  const fewSteps = timesteps.length < 15
  const lowerOrderFinal = config.lowerOrderFinal ?? true
  const endsInFirstOrder = config.eulerAtFinal || (lowerOrderFinal && fewSteps) || config.finalSigma === 'zero'
  return {
    timesteps,
    initialNoiseScale: 1,
    order: 1,
    scaleInput: (_state, latents) => latents,
    step: (state, prediction, latents, draw) => {
      const { index } = state
      const clean = cleanFromPrediction(config.predictionType, shares(index), prediction, latents)
      const noise = options.stochastic ? draw() : null
      const from = shares(index)
      const to = shares(index + 1)
      const h = lambda(to) - lambda(from)
      const decay = options.stochastic ? Math.exp(-h) : 1
      const gain = to.alpha * (options.stochastic ? 1 - Math.exp(-2 * h) : 1 - Math.exp(-h))
      const spread = options.stochastic ? to.sigma * Math.sqrt(1 - Math.exp(-2 * h)) : 0
      const earlier = state.history.at(-1)
      const firstOrder = config.solverOrder === 1 || earlier === undefined || (index === last && endsInFirstOrder)
      const kept: Parameters<typeof linear>[0] = [(to.sigma / from.sigma) * decay, latents]
      const added: Parameters<typeof linear>[1] = noise === null ? null : [spread, noise]
      const next = (): Float32Array => {
        if (firstOrder) return linear(kept, [gain, clean], added)
        const slope = secondOrderFactor(config, { h, stochastic: options.stochastic, alpha: to.alpha, gain })
        const perStep = slope / ((lambda(from) - lambda(shares(index - 1))) / h)
        return linear(kept, [gain + perStep, clean], [-perStep, earlier], added)
      }
      return { state: { ...state, index: index + 1, taken: state.taken + 1, history: [clean] }, latents: next() }
    },
    addNoise: (state, clean, noise) => {
      const { alpha, sigma } = shares(state.index)
      return linear([alpha, clean], [sigma, noise])
    },
    denoised: (state, prediction, latents) => cleanFromPrediction(config.predictionType, shares(state.index), prediction, latents),
  }
}

/** Weight of the slope between the last two clean estimates. */
function secondOrderFactor(
  config: SchedulerConfig,
  { h, stochastic, alpha, gain }: { readonly h: number; readonly stochastic: boolean; readonly alpha: number; readonly gain: number },
): number {
  if (config.solverType !== 'heun') return 0.5 * gain
  return stochastic ? alpha * ((1 - Math.exp(-2 * h)) / (-2 * h) + 1) : alpha * ((Math.exp(-h) - 1) / h + 1)
}

function track(config: SchedulerConfig, schedule: NoiseSchedule, steps: number): SigmaTrack {
  const end = finalSigma(config, schedule)
  if (config.karrasSigmas) {
    const karras = karrasSigmas(schedule.sigmas.at(-1) ?? 0, schedule.sigmas[0] ?? 0, steps)
    const exact = karras.map((sigma) => timestepOf(sigma, schedule))
    // Timesteps are whole numbers in this scheduler: rounded, or cut where diffusers does not round.
    const timesteps = exact.map(config.betaSchedule === 'squaredcos_cap_v2' ? Math.trunc : roundHalfEven)
    return { timesteps, sigmas: Float32Array.from([...karras, end]) }
  }
  const timesteps = spaced(config, schedule, steps)
  return { timesteps, sigmas: Float32Array.from([...timesteps.map((time) => interpolate(schedule.sigmas, time)), end]) }
}

/** One timestep more than needed is spread out and the last one dropped, for all but "trailing" spacing. */
function spaced(config: SchedulerConfig, schedule: NoiseSchedule, steps: number): readonly number[] {
  const clippedAway = schedule.logSigmas.findLastIndex((logSigma) => -logSigma >= config.lambdaMinClipped)
  const usable = clippedAway + 1
  switch (config.timestepSpacing) {
    case 'linspace':
      return evenlySpaced(usable - 1, steps + 1)
        .slice(1)
        .map(roundHalfEven)
        .toReversed()
    case 'leading': {
      const ratio = Math.floor(usable / (steps + 1))
      return Array.from({ length: steps }, (_, i) => (steps - i) * ratio + config.stepsOffset)
    }
    case 'trailing':
      return trailingTimesteps(usable, config.trainTimesteps / steps)
  }
}
