import { ServiceError } from '../../../core/error.ts'
import type { Sampler } from '../../../core/sampler.ts'
import { type FlowSchedule, flowSigmas, flowTimesteps } from './levels/flow-sigmas.ts'
import { placed } from './levels/placed.ts'
import { linear } from './linear.ts'
import type { SchedulerConfig } from './scheduler-config.ts'
import type { Solver } from './solver.ts'

/** Pixels of one token of a picture, in each direction. */
const tokenSide = 16

type FlowConfig = SchedulerConfig & { readonly flow: FlowSchedule }

/**
 * Prepares a sampler for a flow-matching model.
 *
 * @throws {ServiceError} `unsupported` for one that has no form for such models.
 */
export function prepareFlowSolver(
  sampler: Sampler,
  { flow }: FlowConfig,
  steps: number,
  { width, height }: { readonly width: number; readonly height: number },
): Solver {
  const tokens = Math.floor(width / tokenSide) * Math.floor(height / tokenSide)
  if (sampler === 'K_EULER') return flowEuler(flowSigmas(flow, steps, tokens))
  throw new ServiceError('unsupported', `This model was trained by flow matching: choose K_EULER instead of the sampler ${sampler}.`, {
    param: 'sampler',
  })
}

/**
 * Euler's method along the straight lines from noise to picture, after diffusers' `FlowMatchEulerDiscreteScheduler`.
 *
 * @param sigmas Share of noise before each step and at the end.
 * @see Lipman et al. 2022, arXiv:2210.02747
 */
function flowEuler(sigmas: Float32Array): Solver {
  const sigmaAt = placed(sigmas)
  return {
    timesteps: Array.from(sigmas.subarray(0, -1), (sigma) => Math.fround(sigma * flowTimesteps)),
    order: 1,
    ...straight(sigmaAt),
    step: (state, prediction, latents) => ({
      state: { ...state, index: state.index + 1, taken: state.taken + 1 },
      latents: linear([1, latents], [sigmaAt(state.index + 1) - sigmaAt(state.index), prediction]),
    }),
  }
}

/** What solvers have in common whose latents are a mixture of noise and picture. */
function straight(
  sigmaAt: (index: number) => number,
): Pick<Solver, 'initialNoiseScale' | 'countsPartialStep' | 'scaleInput' | 'addNoise' | 'denoised'> {
  return {
    initialNoiseScale: 1,
    countsPartialStep: true,
    scaleInput: (_state, latents) => latents,
    addNoise: ({ index }, clean, noise) => linear([1 - sigmaAt(index), clean], [sigmaAt(index), noise]),
    denoised: ({ index }, prediction, latents) => linear([1, latents], [-sigmaAt(index), prediction]),
  }
}
