import { linear } from './linear.ts'
import { cleanFromUnscaled } from './prediction.ts'
import type { SchedulerConfig } from './scheduler-config.ts'
import type { Solver } from './solver.ts'

/**
 * What solvers have in common whose latents are not shrunk to variance 1, as the k-diffusion family keeps them.
 *
 * @param inputSigma The noise in the latents of each evaluation.
 * @param addedSigma That of a start from a picture; default the same.
 */
export function unscaled(
  { predictionType }: SchedulerConfig,
  inputSigma: (index: number) => number,
  addedSigma = inputSigma,
): Pick<Solver, 'scaleInput' | 'addNoise' | 'denoised'> {
  return {
    scaleInput: ({ index }, latents) => linear([1 / Math.sqrt(inputSigma(index) ** 2 + 1), latents]),
    addNoise: ({ index }, clean, noise) => linear([1, clean], [addedSigma(index), noise]),
    denoised: ({ index }, prediction, latents) => cleanFromUnscaled(predictionType, inputSigma(index), prediction, latents),
  }
}
