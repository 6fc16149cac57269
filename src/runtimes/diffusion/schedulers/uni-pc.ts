import { lambda, multistepTrack, type Shares, sharesAt } from './levels/dpm-levels.ts'
import type { SharedTrack } from './levels/flow-sigmas.ts'
import { noiseSchedule } from './levels/noise-schedule.ts'
import { cleanFromPrediction, linear, variancePreserving } from './prediction.ts'
import type { SchedulerConfig } from './scheduler-config.ts'
import { after, type Solver } from './solver.ts'

/**
 * UniPC: a predictor of second order whose result is corrected once the next clean estimate is known, after diffusers'
 * `UniPCMultistepScheduler`.
 *
 * @param given Noise levels that stand for those of the config: flow matching's.
 * @see Zhao et al. 2023, arXiv:2302.04867
 */
export function uniPc(config: SchedulerConfig, steps: number, given?: SharedTrack): Solver {
  const unclipped = { ...config, lambdaMinClipped: Number.NEGATIVE_INFINITY }
  const end = (karras: readonly number[]): number => (config.finalSigma === 'zero' ? 0 : Math.min(...karras))
  const { timesteps, sigmas } = given ?? multistepTrack(unclipped, noiseSchedule(config, { zeroSnrFloor: true }), steps, { end })
  const shares = given?.shares ?? sharesAt(sigmas)
  /** Order of the predictor at a step: it warms up, and ends low. */
  const orderAt = (index: number, taken: number): number => {
    const remaining = (config.lowerOrderFinal ?? true) ? timesteps.length - index : config.solverOrder
    return Math.min(config.solverOrder, remaining, taken + 1)
  }
  return {
    ...variancePreserving(config, timesteps, shares),
    step: (state, prediction, latents) => {
      const { index, taken, anchor } = state
      const clean = cleanFromPrediction(config.predictionType, shares(index), prediction, latents)
      const [older, newer] = state.history.length > 1 ? state.history : [undefined, state.history[0]]
      const corrected =
        anchor === null || newer === undefined
          ? latents
          : correct(config, {
              from: shares(index - 1),
              to: shares(index),
              before: orderAt(index - 1, taken - 1) > 1 && older !== undefined ? { clean: older, at: shares(index - 2) } : null,
              clean: newer,
              next: clean,
              latents: anchor,
            })
      const before = orderAt(index, taken) > 1 && newer !== undefined ? { clean: newer, at: shares(index - 1) } : null
      return {
        state: after(state, { history: [...state.history.slice(-1), clean], anchor: corrected }),
        latents: predict(config, { from: shares(index), to: shares(index + 1), before, clean, latents: corrected }),
      }
    },
  }
}

interface Move {
  readonly from: Shares
  readonly to: Shares
  /** The clean estimate one step earlier, for second order. */
  readonly before: { readonly clean: Float32Array; readonly at: Shares } | null
  readonly clean: Float32Array
  readonly latents: Float32Array
}

/** Step length in log signal-to-noise, and the functions of it that both formulas use. */
function lengths({ solverType }: SchedulerConfig, { from, to, before }: Move) {
  const h = lambda(to) - lambda(from)
  const growth = Math.expm1(-h)
  return {
    h,
    growth,
    /** B(h) of the paper; bh2 by default. */
    base: solverType === 'bh1' ? -h : growth,
    /** Position of the earlier estimate in step lengths; negative. */
    place: before === null ? 0 : (lambda(before.at) - lambda(from)) / h,
  }
}

function predict(config: SchedulerConfig, move: Move): Float32Array {
  const { from, to, before, clean, latents } = move
  const { growth, base, place } = lengths(config, move)
  const kept = [to.sigma / from.sigma, latents] as const
  if (before === null) return linear(kept, [-to.alpha * growth, clean])
  const slope = (0.5 * to.alpha * base) / place
  return linear(kept, [-to.alpha * growth + slope, clean], [-slope, before.clean])
}

function correct(config: SchedulerConfig, move: Move & { readonly next: Float32Array }): Float32Array {
  const { from, to, before, clean, next, latents } = move
  const { h, growth, base, place } = lengths(config, move)
  const kept = [to.sigma / from.sigma, latents] as const
  if (before === null) {
    const half = 0.5 * to.alpha * base
    return linear(kept, [-to.alpha * growth + half, clean], [-half, next])
  }
  // The two conditions of second order: weights [p, q] with p + q = first and place · p + q = second.
  const phi = growth / -h - 1
  const first = phi / base
  const second = ((phi / -h - 0.5) * 2) / base
  const p = (first - second) / (1 - place)
  const earlier = (to.alpha * base * p) / place
  const newest = to.alpha * base * (first - p)
  return linear(kept, [-to.alpha * growth + earlier + newest, clean], [-earlier, before.clean], [-newest, next])
}
