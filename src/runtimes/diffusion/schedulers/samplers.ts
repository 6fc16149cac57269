import { ServiceError } from '../../../core/error.ts'
import type { Sampler } from '../../../core/sampler.ts'
import { ddim, ddpm, lcm, pndm } from './ddpm-samplers.ts'
import { dpmMultistep, dpmSinglestep } from './dpm-samplers.ts'
import { dpm2, dpm2Ancestral, euler, eulerAncestral, heun, lms } from './euler-samplers.ts'
import { prepareFlowSolver } from './flow.ts'
import type { SchedulerConfig } from './scheduler-config.ts'
import type { Solver } from './solver.ts'
import { uniPc } from './uni-pc.ts'

/** Prepares a scheduler for a number of steps. */
export type SolverPreparation = (config: SchedulerConfig, steps: number) => Solver

const plain = (config: SchedulerConfig): SchedulerConfig => ({ ...config, karrasSigmas: false })
const karras = (config: SchedulerConfig): SchedulerConfig => ({ ...config, karrasSigmas: true })
const deterministic = { stochastic: false }
const stochastic = { stochastic: true }

/** The scheduler and options behind each sampler name; all other options are the model's own. */
export const samplerSolvers: Readonly<Record<Sampler, SolverPreparation>> = {
  PNDM: pndm,
  LMS: (config, steps) => lms(plain(config), steps),
  KLMS: (config, steps) => lms(karras(config), steps),
  DDIM: ddim,
  DDPM: ddpm,
  HEUN: (config, steps) => heun(plain(config), steps),
  K_HEUN: (config, steps) => heun(karras(config), steps),
  K_EULER: (config, steps) => euler(plain(config), steps),
  K_EULER_ANCESTRAL: (config, steps) => eulerAncestral(plain(config), steps),
  DPM_SOLVER_MULTISTEP: (config, steps) => dpmMultistep(plain(config), steps, deterministic),
  DPM_PLUS_PLUS_2M_KARRAS: (config, steps) => dpmMultistep(karras(config), steps, deterministic),
  DPM_PLUS_PLUS_2M_SDE: (config, steps) => dpmMultistep(plain(config), steps, stochastic),
  DPM_PLUS_PLUS_2M_SDE_KARRAS: (config, steps) => dpmMultistep(karras(config), steps, stochastic),
  DPM_SINGLE: (config, steps) => dpmSinglestep(plain(config), steps, deterministic),
  DPM_2: (config, steps) => dpm2(plain(config), steps),
  DPM_2_KARRAS: (config, steps) => dpm2(karras(config), steps),
  DPM_2_ANCESTRAL: (config, steps) => dpm2Ancestral(plain(config), steps),
  DPM_2_ANCESTRAL_KARRAS: (config, steps) => dpm2Ancestral(karras(config), steps),
  DPM_PLUS_PLUS_SDE_KARRAS: (config, steps) => dpmSinglestep(karras(config), steps, stochastic),
  UNI_PC: (config, steps) => uniPc(plain(config), steps),
  LCM: lcm,
}

/**
 * Prepares a sampler's scheduler for a number of steps.
 *
 * @param size Of the picture, in pixels: some families begin larger ones with more noise.
 * @throws {ServiceError} `unsupported` for a sampler that the model refuses.
 */
export function prepareSolver(
  sampler: Sampler,
  config: SchedulerConfig,
  steps: number,
  size: { readonly width: number; readonly height: number } = { width: 1024, height: 1024 },
): Solver {
  const lacking = config.refusedSamplers[sampler]
  if (lacking !== undefined)
    throw new ServiceError('unsupported', `This model has ${lacking}: choose another sampler than ${sampler}.`, { param: 'sampler' })
  if (config.flow !== null) return prepareFlowSolver(sampler, { ...config, flow: config.flow }, steps, size)
  return samplerSolvers[sampler](config, steps)
}
