import { finalSigma } from './levels/dpm-levels.ts'
import { noiseSchedule } from './levels/noise-schedule.ts'
import { ancestralLevels, dpm2Sigmas, eulerSigmas, halfSteps, placed, unscaledNoiseScale } from './levels/sigmas.ts'
import { cleanFromUnscaled, clipped, linear, unscaled } from './prediction.ts'
import type { SchedulerConfig } from './scheduler-config.ts'
import type { Solver } from './solver.ts'

/**
 * Euler's method on the probability-flow equation, after diffusers' `EulerDiscreteScheduler` without churn.
 *
 * @see Karras et al. 2022, arXiv:2206.00364, algorithm 2
 */
export function euler(config: SchedulerConfig, steps: number): Solver {
  const schedule = noiseSchedule(config, { zeroSnrFloor: true })
  const { timesteps, sigmas } = eulerSigmas(config, schedule, steps, finalSigma(config, schedule))
  const sigmaAt = placed(sigmas)
  return {
    timesteps,
    initialNoiseScale: unscaledNoiseScale(config, sigmas),
    order: 1,
    ...unscaled(config, sigmaAt),
    step: (state, prediction, latents) => {
      const sigma = sigmaAt(state.index)
      const clean = cleanFromUnscaled(config.predictionType, sigma, prediction, latents)
      const ratio = (sigmaAt(state.index + 1) - sigma) / sigma
      return {
        state: { ...state, index: state.index + 1, taken: state.taken + 1 },
        latents: linear([1 + ratio, latents], [-ratio, clean]),
      }
    },
  }
}

/** Euler's method with fresh noise after every step, after diffusers' `EulerAncestralDiscreteScheduler`. */
export function eulerAncestral(config: SchedulerConfig, steps: number): Solver {
  const schedule = noiseSchedule(config, { zeroSnrFloor: true })
  const { timesteps, sigmas } = eulerSigmas({ ...config, karrasSigmas: false }, schedule, steps)
  const sigmaAt = placed(sigmas)
  return {
    timesteps,
    initialNoiseScale: unscaledNoiseScale(config, sigmas),
    order: 1,
    ...unscaled(config, sigmaAt),
    step: (state, prediction, latents, draw) => {
      const sigma = sigmaAt(state.index)
      const { up, down } = ancestralLevels(sigma, sigmaAt(state.index + 1))
      const clean = cleanFromUnscaled(config.predictionType, sigma, prediction, latents)
      const ratio = (down - sigma) / sigma
      return {
        state: { ...state, index: state.index + 1, taken: state.taken + 1 },
        latents: linear([1 + ratio, latents], [-ratio, clean], [up, draw()]),
      }
    },
  }
}

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

/** DPM-Solver-2 with fresh noise after every step, after diffusers' `KDPM2AncestralDiscreteScheduler`. */
export function dpm2Ancestral(config: SchedulerConfig, steps: number): Solver {
  const schedule = noiseSchedule(config, { zeroSnrFloor: false })
  const track = dpm2Sigmas(config, schedule, steps)
  const { sigmas } = track
  const level = placed(sigmas)
  const levels = Array.from({ length: steps }, (_, k) => ancestralLevels(level(k), level(k + 1)))
  /** The geometric mean of level k and the level its step goes down to; 0 in the last step. */
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

const maxOrder = 4

/** Linear multistep method over up to four slopes, after diffusers' `LMSDiscreteScheduler`. */
export function lms(config: SchedulerConfig, steps: number): Solver {
  const schedule = noiseSchedule(config, { zeroSnrFloor: false })
  const { timesteps, sigmas } = eulerSigmas(config, schedule, steps)
  const sigmaAt = placed(sigmas)
  return {
    timesteps,
    initialNoiseScale: unscaledNoiseScale(config, sigmas),
    order: 1,
    ...unscaled(config, sigmaAt),
    step: (state, prediction, latents) => {
      const sigma = sigmaAt(state.index)
      const clean = cleanFromUnscaled(config.predictionType, sigma, prediction, latents)
      const slopes = [...state.history, linear([1 / sigma, latents], [-1 / sigma, clean])].slice(-maxOrder)
      // diffusers takes the order from the place in the schedule, even where fewer slopes are known (image-to-image).
      const order = Math.min(state.index + 1, maxOrder)
      const terms = slopes
        .toReversed()
        .slice(0, order)
        .map((slope, i) => [coefficient(sigmaAt, state.index, order, i), slope] as const)
      return {
        state: { ...state, index: state.index + 1, taken: state.taken + 1, history: slopes },
        latents: linear([1, latents], ...terms),
      }
    },
  }
}

/**
 * Integral of the Lagrange polynomial of the slope `which` steps back, over the step at `index`. Simpson's rule is
 * exact: the polynomial is at most cubic.
 */
function coefficient(sigmaAt: (index: number) => number, index: number, order: number, which: number): number {
  const polynomial = (sigma: number): number => {
    let product = 1
    for (let k = 0; k < order; k++) {
      if (k !== which) product *= (sigma - sigmaAt(index - k)) / (sigmaAt(index - which) - sigmaAt(index - k))
    }
    return product
  }
  const from = sigmaAt(index)
  const to = sigmaAt(index + 1)
  return ((to - from) / 6) * (polynomial(from) + 4 * polynomial((from + to) / 2) + polynomial(to))
}
