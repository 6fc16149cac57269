import { ServiceError } from '../../../core/error.ts'
import type { Sampler } from '../../../core/sampler.ts'
import { dpmMultistep } from './dpm-samplers.ts'
import { dpmFlowTrack, type FlowSchedule, flowSigmas, flowTimesteps, uniPcFlowTrack } from './levels/flow-sigmas.ts'
import { placed } from './levels/sigmas.ts'
import { linear } from './prediction.ts'
import type { SchedulerConfig } from './scheduler-config.ts'
import { after, type Solver } from './solver.ts'
import { uniPc } from './uni-pc.ts'

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
  { flow, ...config }: FlowConfig,
  steps: number,
  { width, height }: { readonly width: number; readonly height: number },
): Solver {
  const tokens = Math.floor(width / tokenSide) * Math.floor(height / tokenSide)
  const own = { ...config, flow, predictionType: 'flow_prediction', karrasSigmas: false } as const
  const partial = { countsPartialStep: true } as const
  switch (sampler) {
    case 'K_EULER':
      return flowEuler(flowSigmas(flow, steps, tokens))
    case 'K_HEUN':
    case 'HEUN':
      return flowHeun(flowSigmas({ ...flow, bySize: null, spacing: 'trained' }, steps, tokens))
    case 'DPM_SOLVER_MULTISTEP':
      return { ...dpmMultistep(own, steps, { stochastic: false, track: dpmFlowTrack(flow, steps, tokens) }), ...partial }
    case 'UNI_PC':
      return { ...uniPc(own, steps, uniPcFlowTrack(flow, steps, tokens)), ...partial }
    default: {
      const message = `This model was trained by flow matching: choose another sampler than ${sampler}, such as K_EULER.`
      throw new ServiceError('unsupported', message, { param: 'sampler' })
    }
  }
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
      state: after(state),
      latents: linear([1, latents], [sigmaAt(state.index + 1) - sigmaAt(state.index), prediction]),
    }),
  }
}

/**
 * Heun's method: each step is taken again with the mean of the velocities at its two ends, after diffusers' `FlowMatchHeunDiscreteScheduler`,
 * whose noise levels do not depend on the picture's size.
 */
function flowHeun(sigmas: Float32Array): Solver {
  const inner = Array.from(sigmas.subarray(1, -1)).flatMap((sigma) => [sigma, sigma])
  const levels = Float32Array.from([sigmas[0] ?? 1, ...inner, 0])
  const sigmaAt = placed(levels)
  return {
    timesteps: Array.from(levels.subarray(0, -1), (sigma) => Math.fround(sigma * flowTimesteps)),
    order: 2,
    ...straight(sigmaAt),
    step: (state, prediction, latents) => {
      const { index, anchor } = state
      const [earlier] = state.history
      if (anchor === null || earlier === undefined) {
        const distance = sigmaAt(index + 1) - sigmaAt(index)
        return { state: after(state, { history: [prediction], anchor: latents }), latents: linear([1, latents], [distance, prediction]) }
      }
      const half = (sigmaAt(index) - sigmaAt(index - 1)) / 2
      return { state: after(state, { history: [], anchor: null }), latents: linear([1, anchor], [half, earlier], [half, prediction]) }
    },
  }
}

/** Common parts of solvers whose latents are a mixture of noise and picture. */
function straight(sigmaAt: (index: number) => number): Omit<Solver, 'timesteps' | 'order' | 'step'> {
  return {
    initialNoiseScale: 1,
    countsPartialStep: true,
    scaleInput: (_state, latents) => latents,
    addNoise: ({ index }, clean, noise) => linear([1 - sigmaAt(index), clean], [sigmaAt(index), noise]),
    denoised: ({ index }, prediction, latents) => linear([1, latents], [-sigmaAt(index), prediction]),
  }
}
