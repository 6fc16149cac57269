import type { Sampler } from '../../../core/sampler.ts'
import type { SchedulerConfig } from '../scheduler-config.ts'
import { ddim } from './ddim.ts'
import { dpmMultistep } from './dpm-multistep.ts'
import { euler } from './euler.ts'
import type { Solver } from './solver.ts'

type Preparation = (config: SchedulerConfig, steps: number) => Solver

/** The scheduler and options behind each sampler name; the other options are the model's own. */
export const samplerSolvers: Partial<Record<Sampler, Preparation>> = {
  DDIM: ddim,
  K_EULER: (config, steps) => euler({ ...config, karrasSigmas: false }, steps),
  DPM_PLUS_PLUS_2M_KARRAS: (config, steps) => dpmMultistep({ ...config, karrasSigmas: true }, steps, { stochastic: false }),
}
