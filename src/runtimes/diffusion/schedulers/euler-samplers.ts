import { finalSigma } from './levels/dpm-levels.ts'
import { noiseSchedule } from './levels/noise-schedule.ts'
import { ancestralLevels, dpm2Sigmas, eulerSigmas, halfSteps, placed, type SigmaTrack } from './levels/sigmas.ts'
import { cleanFromUnscaled, clipped, linear, unscaled } from './prediction.ts'
import type { SchedulerConfig } from './scheduler-config.ts'
import { after, type Solver } from './solver.ts'

/**
 * Euler's method on the probability-flow equation, after diffusers' `EulerDiscreteScheduler` without churn.
 *
 * @see Karras et al. 2022, arXiv:2206.00364, algorithm 2
 */
export function euler(config: SchedulerConfig, steps: number): Solver {
  const schedule = noiseSchedule(config, { zeroSnrFloor: true })
  return eulerOver(config, eulerSigmas(config, schedule, steps, finalSigma(config, schedule)), (_, to) => ({ down: to, up: null }))
}

/** Euler's method with fresh noise after every step, after diffusers' `EulerAncestralDiscreteScheduler`. */
export function eulerAncestral(config: SchedulerConfig, steps: number): Solver {
  const schedule = noiseSchedule(config, { zeroSnrFloor: true })
  return eulerOver(config, eulerSigmas({ ...config, karrasSigmas: false }, schedule, steps), ancestralLevels)
}

/** The noise level that a step between two levels goes down to, and the noise it then adds; null = none. */
type Split = (from: number, to: number) => { readonly down: number; readonly up: number | null }

function eulerOver(config: SchedulerConfig, track: SigmaTrack, split: Split): Solver {
  const sigmaAt = placed(track.sigmas)
  return {
    order: 1,
    ...unscaled(config, track, sigmaAt),
    step: (state, prediction, latents, draw) => {
      const sigma = sigmaAt(state.index)
      const { up, down } = split(sigma, sigmaAt(state.index + 1))
      const clean = cleanFromUnscaled(config.predictionType, sigma, prediction, latents)
      const ratio = (down - sigma) / sigma
      const noise = up === null ? null : ([up, draw()] as const)
      return { state: after(state), latents: linear([1 + ratio, latents], [-ratio, clean], noise) }
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
    order: 2,
    ...unscaled(config, { sigmas: track.sigmas, timesteps }, sigmaAt),
    step: (state, prediction, latents) => {
      const sigma = sigmaAt(state.index)
      const clean = clipped(cleanFromUnscaled(config.predictionType, sigma, prediction, latents), config.clipSampleRange)
      const slope = linear([1 / sigma, latents], [-1 / sigma, clean])
      const [earlierSlope] = state.history
      if (state.anchor === null || earlierSlope === undefined) {
        const distance = sigmaAt(state.index + 1) - sigma
        return { state: after(state, { history: [slope], anchor: latents }), latents: linear([1, latents], [distance, slope]) }
      }
      const distance = sigma - sigmaAt(state.index - 1)
      const moved = linear([1, state.anchor], [distance / 2, earlierSlope], [distance / 2, slope])
      return { state: after(state, { history: [], anchor: null }), latents: moved }
    },
  }
}

/**
 * DPM-Solver-2: the slope is taken at the geometric middle of each step, after diffusers' `KDPM2DiscreteScheduler`.
 *
 * @see Karras et al. 2022, arXiv:2206.00364, algorithm 2; Lu et al. 2022, arXiv:2206.00927
 */
export function dpm2(config: SchedulerConfig, steps: number): Solver {
  const middle = (from: number, to: number): number => Math.exp((Math.log(from) + Math.log(to)) / 2)
  return dpm2Over(config, steps, { split: (_, to) => ({ down: to, up: null }), middle })
}

/** DPM-Solver-2 with fresh noise after every step, after diffusers' `KDPM2AncestralDiscreteScheduler`. */
export function dpm2Ancestral(config: SchedulerConfig, steps: number): Solver {
  const middle = (from: number, down: number, k: number): number =>
    k === steps - 1 ? 0 : Math.exp((Math.fround(Math.log(from)) + Math.fround(Math.log(down))) / 2)
  return dpm2Over(config, steps, { split: ancestralLevels, middle })
}

interface HalfStepOptions {
  readonly split: Split
  /** The geometric mean of step k's level and the one it goes down to; 0 where that is free of noise. */
  readonly middle: (from: number, down: number, k: number) => number
}

function dpm2Over(config: SchedulerConfig, steps: number, { split, middle }: HalfStepOptions): Solver {
  const schedule = noiseSchedule(config, { zeroSnrFloor: false })
  const track = dpm2Sigmas(config, schedule, steps)
  const level = placed(track.sigmas)
  const levels = Array.from({ length: steps }, (_, k) => split(level(k), level(k + 1)))
  const middles = Float32Array.from(levels, ({ down }, k) => middle(level(k), down, k))
  const { timesteps, sigmaAt, middleAt, inputSigma } = halfSteps(track, middles, schedule)
  return {
    order: 2,
    ...unscaled(config, { sigmas: track.sigmas, timesteps }, inputSigma, sigmaAt),
    step: (state, prediction, latents, draw) => {
      const { index, anchor } = state
      const sigma = inputSigma(index)
      const clean = cleanFromUnscaled(config.predictionType, sigma, prediction, latents)
      if (anchor === null) {
        const ratio = (middleAt(index) - sigma) / sigma
        return { state: after(state, { anchor: latents }), latents: linear([1 + ratio, latents], [-ratio, clean]) }
      }
      const { up, down } = levels[Math.floor(index / 2)] ?? { up: 0, down: 0 }
      const ratio = (down - sigmaAt(index - 1)) / sigma
      const noise = up === null ? null : ([up, draw()] as const)
      return { state: after(state, { anchor: null }), latents: linear([1, anchor], [ratio, latents], [-ratio, clean], noise) }
    },
  }
}

const maxOrder = 4

/** Linear multistep method over up to four slopes, after diffusers' `LMSDiscreteScheduler`. */
export function lms(config: SchedulerConfig, steps: number): Solver {
  const schedule = noiseSchedule(config, { zeroSnrFloor: false })
  const track = eulerSigmas(config, schedule, steps)
  const sigmaAt = placed(track.sigmas)
  return {
    order: 1,
    ...unscaled(config, track, sigmaAt),
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
      return { state: after(state, { history: slopes }), latents: linear([1, latents], ...terms) }
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
