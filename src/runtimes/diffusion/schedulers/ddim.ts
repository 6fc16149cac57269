import { noiseSchedule } from '../noise-schedule.ts'
import type { SchedulerConfig } from '../scheduler-config.ts'
import { linear } from './linear.ts'
import { cleanFromPrediction, clipped, noiseFromPrediction } from './prediction.ts'
import type { Solver } from './solver.ts'
import { spacedTimesteps } from './timesteps.ts'

/**
 * Deterministic DDIM (η = 0), after diffusers' `DDIMScheduler`.
 *
 * @see Song et al. 2020, arXiv:2010.02502, equation 12
 */
export function ddim(config: SchedulerConfig, steps: number): Solver {
  const { alphasCumprod } = noiseSchedule(config, { zeroSnrFloor: false })
  const timesteps = spacedTimesteps(config, steps, { rounded: true })
  const stride = Math.floor(config.trainTimesteps / steps)
  const finalAlpha = config.setAlphaToOne ? 1 : (alphasCumprod[0] ?? 1)
  const alphaBar = (timestep: number): number => (timestep < 0 ? finalAlpha : (alphasCumprod[timestep] ?? 0))
  const levelAt = (index: number): { readonly alpha: number; readonly sigma: number } => {
    const bar = alphaBar(timesteps[index] ?? 0)
    return { alpha: Math.sqrt(bar), sigma: Math.sqrt(1 - bar) }
  }
  return {
    timesteps,
    initialNoiseScale: 1,
    order: 1,
    scaleInput: (_state, latents) => latents,
    step: (state, prediction, latents) => {
      const level = levelAt(state.index)
      const previous = alphaBar((timesteps[state.index] ?? 0) - stride)
      const clean = clipped(cleanFromPrediction(config.predictionType, level, prediction, latents), config.clipSampleRange)
      const noise = noiseFromPrediction(config.predictionType, level, prediction, latents)
      return {
        state: { ...state, index: state.index + 1, taken: state.taken + 1 },
        latents: linear([Math.sqrt(previous), clean], [Math.sqrt(1 - previous), noise]),
      }
    },
    addNoise: (state, clean, noise) => {
      const { alpha, sigma } = levelAt(state.index)
      return linear([alpha, clean], [sigma, noise])
    },
    denoised: (state, prediction, latents) => cleanFromPrediction(config.predictionType, levelAt(state.index), prediction, latents),
  }
}
