import { linear } from './linear.ts'
import { cleanFromPrediction } from './prediction.ts'
import type { SchedulerConfig } from './scheduler-config.ts'
import type { Solver } from './solver.ts'

/**
 * What solvers have in common that keep latents at variance 1, as the DDIM and DPM families do: the UNet takes them as they are.
 *
 * @param levelAt Signal and noise in the latents of each evaluation, as factors.
 */
export function variancePreserving(
  { predictionType }: SchedulerConfig,
  levelAt: (index: number) => { readonly alpha: number; readonly sigma: number },
): Pick<Solver, 'initialNoiseScale' | 'scaleInput' | 'addNoise' | 'denoised'> {
  return {
    initialNoiseScale: 1,
    scaleInput: (_state, latents) => latents,
    addNoise: ({ index }, clean, noise) => {
      const { alpha, sigma } = levelAt(index)
      return linear([alpha, clean], [sigma, noise])
    },
    denoised: ({ index }, prediction, latents) => cleanFromPrediction(predictionType, levelAt(index), prediction, latents),
  }
}
